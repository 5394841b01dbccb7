import type { TypedObject } from '../../api/meta/object.ts'
import type { AdmissionPlugin } from '../chain.ts'

/**
 * NamespaceExists: rejects every write, including updates and deletions, in a namespace that does not exist.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceexists
 * @param getNamespace rejects with NotFound if the namespace does not exist.
 */
export const namespaceExists = (getNamespace: (name: string) => Promise<TypedObject>): AdmissionPlugin => ({
  name: 'NamespaceExists',
  handles: ({ operation, namespace, served: { version } }) =>
    operation !== 'CONNECT' && namespace !== '' && (version.group !== '' || version.kind !== 'Namespace'),
  validate: async ({ namespace }) => {
    await getNamespace(namespace)
  },
})
