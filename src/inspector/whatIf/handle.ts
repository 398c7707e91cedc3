/** What if: handles in replays. */

/** Of the item at that place, as long as one in our tickets. */
export const handleOf = (at: number): string => `claim:${at.toString(16).padStart(32, "0")}`;
