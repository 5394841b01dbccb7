/** A revision of the whole store: etcd's, or the embedded store's of the same meaning. Becomes text only at the edge. */
export type Revision = number & { readonly __brand: 'Revision' }
/** A key of the store, prefix included: `/registry/pods/default/web`. */
export type Key = string & { readonly __brand: 'Key' }

export const revision = (n: number): Revision => n as Revision
export const key = (text: string): Key => text as Key
