/** The ticket that every state of the wait is printed on. */
export const ticket = 'relative overflow-hidden rounded-card border border-line bg-surface shadow-lift';
