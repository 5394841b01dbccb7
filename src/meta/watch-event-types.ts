/** Types of watch events in the API, by the types of the store's events. */
export const WATCH_EVENT_TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const
