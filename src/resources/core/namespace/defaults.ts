import type { Namespace } from '../../../api/core/v1.types.ts'

/** Label that holds the name of the namespace, so that namespace selectors can select by name. */
export const NAME_LABEL = 'kubernetes.io/metadata.name'

export function setNamespaceDefaults(namespace: Namespace): void {
  const { metadata } = namespace
  // A name that is still to be generated is labelled later: see canonicalize.
  if (metadata.name) {
    metadata.labels ??= {}
    metadata.labels[NAME_LABEL] = metadata.name
  }
  namespace.status.phase ??= 'Active'
}
