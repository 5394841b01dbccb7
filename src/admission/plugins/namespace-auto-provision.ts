import { errorMessage } from '../../lib/error-message.ts'
import type { TypedObject } from '../../meta/object.ts'
import { isStatusError } from '../../meta/status.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'

/** What the plugin does with namespaces. */
export interface NamespaceMaking {
  /** Rejects with NotFound where there is none. */
  get(name: string): Promise<TypedObject>
  /** As the server itself, through admission. Rejects with AlreadyExists where there is one. */
  create(name: string): Promise<unknown>
}

/**
 * NamespaceAutoProvision: a namespace in which something is created is made where there is none, and stays if the creation fails.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespaceautoprovision
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
