/**
 * A revision of the whole store: etcd's, or the embedded store's of the same meaning. Every change has a higher one than the change before it. Becomes text (resourceVersion) only at the edge.
 */
export type Revision = number & { readonly __brand: 'Revision' }
/** A key of the store, prefix included: `/registry/pods/default/web`. */
export type Key = string & { readonly __brand: 'Key' }

/** The one way to make a Revision of a number that was read (from the store, a token, a request). */
export const revision = (n: number): Revision => n as Revision
/** The one way to make a Key of text. */
export const key = (text: string): Key => text as Key

/** Before the first revision of any store: of a key that does not exist, and of a cache that has read nothing yet. */
export const NO_REVISION = revision(0)

/** The next revision of the store: each change has one of its own. */
export const revisionAfter = (last: Revision): Revision => revision(last + 1)
export const revisionBefore = (next: Revision): Revision => revision(next - 1)
export const earlier = (a: Revision, b: Revision): Revision => (a < b ? a : b)
export const later = (a: Revision, b: Revision): Revision => (a < b ? b : a)
