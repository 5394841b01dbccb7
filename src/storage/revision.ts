/**
 * Revision of the whole store, as in etcd. Every change has a higher one than the change before. It is converted to
 * text (resourceVersion) only at the edge.
 */
export type Revision = number & { readonly __brand: 'Revision' }
/** A key of the store, prefix included: `/registry/pods/default/web`. */
export type Key = string & { readonly __brand: 'Key' }

/** Brands a number that was read from the store, a token or a request. The only constructor of Revision. */
export const revision = (n: number): Revision => n as Revision
/** Brands a text as a Key. The only constructor of Key. */
export const key = (text: string): Key => text as Key

/**
 * A revision before the first one of any store: for keys that do not exist, and for caches that have read nothing yet.
 */
export const NO_REVISION = revision(0)

/** Returns the revision of the store's next change. Each change has one of its own. */
export const revisionAfter = (last: Revision): Revision => revision(last + 1)
export const revisionBefore = (next: Revision): Revision => revision(next - 1)
export const earlier = (a: Revision, b: Revision): Revision => (a < b ? a : b)
export const later = (a: Revision, b: Revision): Revision => (a < b ? b : a)
