// The inspector's browser side: where VS Code's menu of a right click (Cut, Copy, Paste) has nothing to do.

/** For `data-vscode-context`, on what is no text: VS Code looks for it from what was clicked upwards. */
export const NO_TEXT_MENU = JSON.stringify({ preventDefaultContextMenuItems: true });
