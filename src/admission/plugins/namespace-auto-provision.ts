import type { TypedObject } from '../../api/meta/object.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { isStatusError } from '../../meta/status.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'

/** Operations of the plugin on namespaces. */
export interface NamespaceMaking {
  /** Rejects with NotFound if the namespace does not exist. */
  get(name: string): Promise<TypedObject>
  /** Creates a namespace as the server itself, through admission. Rejects with AlreadyExists if it exists. */
  create(name: string): Promise<unknown>
}

/**
 * NamespaceAutoProvision: creates the namespace of a new object if it does not exist. The namespace remains if the
 * create fails. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceautoprovision
 */
export const namespaceAutoProvision = (namespaces: NamespaceMaking): AdmissionPlugin => ({
  name: 'NamespaceAutoProvision',
  handles: ({ operation, dryRun, namespace, served: { version } }) =>
    operation === 'CREATE' && !dryRun && namespace !== '' && (version.group !== '' || version.kind !== 'Namespace'),
  mutate: async request => {
    const { namespace, object } = request
    try {
      await namespaces.get(namespace)
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw refuse(request, errorMessage(error))
      await namespaces.create(namespace).catch((failed: unknown) => {
        if (!isStatusError(failed, 'AlreadyExists')) throw refuse(request, errorMessage(failed))
      })
    }
    return object
  },
})
