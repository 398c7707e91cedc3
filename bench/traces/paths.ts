/** bench traces: files as policies name them. */

/** Of the result behind so many items: 22 bytes, the shortest that a vector of a peer fixes, and the same for all. */
export const pathOf = (at: number): string => `/tmp/results/${String(at % 1e5).padStart(5, "0")}.txt`;
