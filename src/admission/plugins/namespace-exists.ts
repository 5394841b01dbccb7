import type { TypedObject } from '../../meta/object.ts'
import type { AdmissionPlugin } from '../chain.ts'

/**
 * NamespaceExists: also updates and deletions need a namespace that exists.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceexists
 * @param getNamespace rejects with NotFound where there is none.
 */
export const namespaceExists = (getNamespace: (name: string) => Promise<TypedObject>): AdmissionPlugin => ({
  name: 'NamespaceExists',
  handles: ({ operation, namespace, served: { version } }) =>
    operation !== 'CONNECT' && namespace !== '' && (version.group !== '' || version.kind !== 'Namespace'),
  validate: async ({ namespace }) => {
    await getNamespace(namespace)
  },
})
