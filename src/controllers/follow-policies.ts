import type { PolicyIndex } from '../admission/policies/policy-index.ts'
import type { AccessEvent } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { type ControllerEnvironment, followFresh } from './controller.ts'

const GROUP = 'admissionregistration.k8s.io'

/** Keeps the index as the validating policies and their bindings are, from the watch cache. Every server runs it. */
export async function followPolicies(env: ControllerEnvironment, index: PolicyIndex, signal: AbortSignal): Promise<void> {
  const waiting = new Set(Object.keys(RESOURCES))
  index.filling.begin()
  await Promise.all(
    Object.entries(RESOURCES).map(([resource, { names, put, remove }]) =>
      followFresh(env, { group: GROUP, resource }, signal, () => {
        // What the index has from before and is not seen again was deleted while nobody watched.
        const before = new Set(names(index))
        return ({ type, object }: AccessEvent): void => {
          if (object) {
            const { name = '' } = object.metadata
            before.delete(name)
            if (type === 'deleted') remove(index, name)
            else put(index, object)
            return
          }
          for (const name of before) remove(index, name)
          before.clear()
          if (waiting.delete(resource) && waiting.size === 0) index.filling.end()
        }
      }),
    ),
  )
}

interface Kept {
  readonly names: (index: PolicyIndex) => Iterable<string>
  readonly put: (index: PolicyIndex, object: KubeObject) => void
  readonly remove: (index: PolicyIndex, name: string) => void
}

const RESOURCES: Readonly<Record<string, Kept>> = {
  validatingadmissionpolicies: {
    names: index => index.policyNames(),
    put: (index, policy) => index.putPolicy(policy),
    remove: (index, name) => index.removePolicy(name),
  },
  validatingadmissionpolicybindings: {
    names: index => index.bindingNames(),
    put: (index, binding) => index.putBinding(binding),
    remove: (index, name) => index.removeBinding(name),
  },
}
