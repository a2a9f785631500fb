/** Commands of this host that stay, for jobs that come later. */
export const kept = [];
