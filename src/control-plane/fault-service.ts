import { kindId, updateKind } from '../catalog/define.ts'
import { type ControllerEnvironment, followKept } from '../controllers/controller.ts'
import type { Fault, FaultSpec } from '../faults/fault-spec.ts'
import { FAULTS_GROUP, type FaultRules } from '../faults/rules.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import { type KubeObject, objectIn, type TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { CUSTOM_RESOURCE_DEFINITIONS as DEFINITIONS } from '../resources/kinds.ts'
import { FAULT_DEFINITION_NAME, faultDefinition } from './fault-definition.ts'
import type { Service, ServiceStart } from './service.ts'

type FaultObject = TypedObject & {
  readonly spec: FaultSpec
  readonly status?: FaultStatus
}

interface FaultStatus {
  readonly observedGeneration?: number
  readonly state?: 'Active' | 'Invalid'
  readonly message?: string
  readonly matched?: number
  readonly hits?: number
}

const FAULTS = kindId<FaultObject>(FAULTS_GROUP, 'faults')

/** Between two looks at what has been hit. */
const REPORT_MS = 500
const RETRY_MS = 100

/** What this server does of one object. */
interface Carried {
  readonly uid: string | undefined
  readonly generation: number
  /** Absent where the spec is refused, which `message` says why. */
  readonly fault: Fault | undefined
  readonly message: string | undefined
  /** What the status has of it: servers on one store add theirs. Absent: nothing, not even that it has been seen. */
  told: { readonly matched: number; readonly hits: number } | undefined
}

/** Faults as objects of the group binnacle.dev: their kind is defined, and rules are kept as the objects are. */
export class FaultService implements Service {
  private readonly rules: FaultRules
  private readonly carried = new Map<string, Carried>()

  constructor(rules: FaultRules) {
    this.rules = rules
  }

  async start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    await this.define(env, signal)
    const kept = {
      keys: () => [...this.carried.keys()].map(name => `/${name}`),
      put: (object: FaultObject) => this.put(object),
      remove: (_namespace: string, name: string) => this.remove(name),
      synced: () => {},
    }
    await Promise.all([followKept(env, FAULTS, signal, kept), this.report(env, signal)])
  }

  private async define(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await env.access.create(DEFINITIONS, '', {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: FAULT_DEFINITION_NAME },
          spec: faultDefinition(),
        })
        return
      } catch (error) {
        if (isStatusError(error, 'AlreadyExists')) return await this.renew(env)
        env.logger.debug(1, 'faults cannot be defined yet', { error: errorMessage(error) })
      }
      await pause(RETRY_MS, signal)
    }
  }

  /** Another release may have defined it otherwise. */
  private async renew(env: ControllerEnvironment): Promise<void> {
    const changed = (now: KubeObject): KubeObject => ({ ...now, spec: { ...objectIn(now.spec), ...faultDefinition() } })
    await env.access
      .update(DEFINITIONS, '', FAULT_DEFINITION_NAME, changed)
      .catch(error => env.logger.warn('the definition of faults stays as it is', { error: errorMessage(error) }))
  }

  private put({ metadata, spec }: FaultObject): void {
    const { name = '', uid, generation = 1 } = metadata
    const known = this.carried.get(name)
    if (known?.uid === uid && known?.generation === generation) return
    this.remove(name)
    try {
      this.carried.set(name, { uid, generation, fault: this.rules.add(spec, `object ${name}`), message: undefined, told: undefined })
    } catch (error) {
      this.carried.set(name, { uid, generation, fault: undefined, message: errorMessage(error), told: undefined })
    }
  }

  private remove(name: string): void {
    this.carried.get(name)?.fault?.remove()
    this.carried.delete(name)
  }

  private async report(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    while (await pause(REPORT_MS, signal)) {
      for (const [name, carried] of this.carried) {
        try {
          await tell(env, name, carried)
        } catch (error) {
          // It has gone meanwhile, or is told next time.
          env.logger.debug(2, 'hits of a fault cannot be told yet', { name, error: errorMessage(error) })
        }
      }
    }
  }
}

/** Writes into the status what has come since the last time. */
async function tell(env: ControllerEnvironment, name: string, carried: Carried): Promise<void> {
  const { uid, generation, fault, message, told } = carried
  const { matched = 0, hits = 0 } = fault ?? {}
  if (told?.matched === matched && told.hits === hits) return
  await updateKind(env.access, FAULTS, { namespace: '', name, subresource: 'status' }, now => {
    if (now.metadata.uid !== uid || now.metadata.generation !== generation) return undefined
    // Of another generation nothing is counted on.
    const before = now.status?.observedGeneration === generation ? now.status : {}
    const status: FaultStatus = {
      observedGeneration: generation,
      state: fault === undefined ? 'Invalid' : 'Active',
      ...(message !== undefined && { message }),
      matched: (before.matched ?? 0) + matched - (told?.matched ?? 0),
      hits: (before.hits ?? 0) + hits - (told?.hits ?? 0),
    }
    return { ...now, status }
  })
  carried.told = { matched, hits }
}
