import type { KubeObject } from '../api/meta/object.ts'
import { updateKind } from '../catalog/define.ts'
import { RevisionTimes } from '../faults/revision-times.ts'
import type { Faults } from '../faults/strike.ts'
import { undefinedIfNotFound } from '../meta/status.ts'
import { formatMicroTime } from '../meta/time.ts'
import type { Registry } from '../registry/registry.ts'
import { LEASES } from '../resources/kinds.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'

/** `holderIdentity` of a Lease that a fault has taken over. */
const HOLDER = 'binnacle-faults'

type FaultOptions = Pick<ControlPlaneOptions, 'runtime' | 'storage'>

/** Annotation that the concurrent writer of a fault changes. */
const WRITES = 'binnacle.dev/concurrent-writes'

/**
 * Connects the fault rules of a server to the revisions of its store, which stale reads use, and to its objects.
 * Returns undefined if it injects no faults.
 */
export function faultsOf(
  { runtime: { faults: rules }, storage }: FaultOptions,
  registry: Registry,
  signal: AbortSignal,
): Faults | undefined {
  if (rules === undefined) return undefined
  const access = registry.access()
  const times = new RevisionTimes(
    rules.clock,
    () => storage.backend.currentRevision(signal),
    () => rules.looksBack,
  )
  rules.onAdded = () => void times.begin()
  return {
    rules,
    times,
    async takeLease(namespace, name) {
      const time = formatMicroTime(rules.clock.now())
      await updateKind(access, LEASES, { namespace, name }, lease => ({
        ...lease,
        spec: {
          ...lease.spec,
          holderIdentity: HOLDER,
          acquireTime: time,
          renewTime: time,
          leaseTransitions: (lease.spec.leaseTransitions ?? 0) + 1,
        },
      })).catch(undefinedIfNotFound)
    },
    async write(does, info) {
      const { namespace, name } = info
      if (does === 'Deletes') return void (await access.delete(info, namespace, name).catch(undefinedIfNotFound))
      const changed = (object: KubeObject): KubeObject => {
        const { annotations = {} } = object.metadata
        const count = Number(annotations[WRITES] ?? 0) + 1
        return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [WRITES]: String(count) } } }
      }
      await access.update(info, namespace, name, changed).catch(undefinedIfNotFound)
    },
  }
}
