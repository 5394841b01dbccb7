import { type KubeObject, objectIn, type TypedObject } from '../api/meta/object.ts'
import { kindId, updateKind } from '../catalog/define.ts'
import { type ControllerEnvironment, followKept } from '../controllers/controller.ts'
import type { Fault, FaultSpec } from '../faults/fault-spec.ts'
import { FAULTS_GROUP, type FaultRules } from '../faults/rules.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import { isStatusError } from '../meta/status.ts'
import { CUSTOM_RESOURCE_DEFINITIONS as DEFINITIONS } from '../resources/kinds.ts'
import { FAULT_DEFINITION_NAME, faultDefinition } from './fault-definition.ts'
import type { Service, ServiceStart } from './service.ts'

/** A Fault object, as its definition's schema has validated it. */
type FaultObject = TypedObject & {
  readonly spec: FaultSpec
  readonly status?: FaultStatus
}

/** Status of a Fault object. */
interface FaultStatus {
  /** Generation of the spec that the counts belong to. */
  readonly observedGeneration?: number
  readonly state?: 'Active' | 'Invalid'
  /** Reason why the spec is invalid. */
  readonly message?: string
  /** Requests that matched, whether or not the fault struck them. Summed over all servers. */
  readonly matched?: number
  /** Requests that the fault struck. */
  readonly hits?: number
}

const FAULTS = kindId<FaultObject>(FAULTS_GROUP, 'faults')

/** Interval between status updates, in milliseconds. */
const REPORT_MS = 500
/** Time until the next attempt to create the definition, in milliseconds. */
const RETRY_MS = 100

/** State of one Fault object in this server. */
interface FaultState {
  /** Distinguishes objects that have had the same name. */
  readonly uid: string | undefined
  readonly generation: number
  /** Undefined if the spec is invalid. `message` states why. */
  readonly fault: Fault | undefined
  readonly message: string | undefined
  /**
   * Counts that the status already includes; other servers on the store add theirs. Undefined if nothing was reported
   * yet, not even the generation.
   */
  reported: { readonly matched: number; readonly hits: number } | undefined
}

/**
 * Serves faults as objects of the group binnacle.dev: creates their CustomResourceDefinition and keeps the fault rules
 * in sync with the objects.
 */
export class FaultService implements Service {
  readonly #rules: FaultRules
  readonly #states = new Map<string, FaultState>()

  constructor(rules: FaultRules) {
    this.#rules = rules
  }

  /**
   * Creates the definition of faults, then follows the objects and reports hits. Resolves when the signal has aborted.
   */
  async start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    await this.#define(env, signal)
    const kept = {
      keys: () => [...this.#states.keys()].map(name => `/${name}`),
      put: (object: FaultObject) => this.#put(object),
      remove: (_namespace: string, name: string) => this.#remove(name),
      synced: () => {},
    }
    await Promise.all([followKept(env, FAULTS, signal, kept), this.#report(env, signal)])
  }

  /** Creates or updates the CustomResourceDefinition. Retries until it succeeds or the signal aborts. */
  async #define(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
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
        if (isStatusError(error, 'AlreadyExists')) return await this.#renew(env)
        env.logger.debug(1, 'cannot create the definition of faults, retrying', { error: errorMessage(error) })
      }
      await pause(RETRY_MS, signal)
    }
  }

  /** Updates the definition, which another release may have created. */
  async #renew(env: ControllerEnvironment): Promise<void> {
    const changed = (now: KubeObject): KubeObject => ({ ...now, spec: { ...objectIn(now.spec), ...faultDefinition() } })
    await env.access
      .update(DEFINITIONS, '', FAULT_DEFINITION_NAME, changed)
      .catch(error => env.logger.warn('cannot update the definition of faults', { error: errorMessage(error) }))
  }

  /** Adds or replaces the rule of an object. An invalid spec is kept with its error, for the status. */
  #put({ metadata, spec }: FaultObject): void {
    const { name = '', uid, generation = 1 } = metadata
    const known = this.#states.get(name)
    if (known?.uid === uid && known?.generation === generation) return
    this.#remove(name)
    try {
      this.#states.set(name, { uid, generation, fault: this.#rules.add(spec, `object ${name}`), message: undefined, reported: undefined })
    } catch (error) {
      this.#states.set(name, { uid, generation, fault: undefined, message: errorMessage(error), reported: undefined })
    }
  }

  /** Removes the rule of an object, whose counts end. */
  #remove(name: string): void {
    this.#states.get(name)?.fault?.remove()
    this.#states.delete(name)
  }

  /** Updates the status of all faults periodically. */
  async #report(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    while (await pause(REPORT_MS, signal)) {
      for (const [name, state] of this.#states) {
        try {
          await writeStatus(env, name, state)
        } catch (error) {
          // The object was deleted, or the next report includes it.
          env.logger.debug(2, 'cannot update the status of a fault, retrying', { name, error: errorMessage(error) })
        }
      }
    }
  }
}

/** Adds the hits since the last report to the status. */
async function writeStatus(env: ControllerEnvironment, name: string, state: FaultState): Promise<void> {
  const { uid, generation, fault, message, reported } = state
  const { matched = 0, hits = 0 } = fault ?? {}
  if (reported?.matched === matched && reported.hits === hits) return
  await updateKind(env.access, FAULTS, { namespace: '', name, subresource: 'status' }, now => {
    if (now.metadata.uid !== uid || now.metadata.generation !== generation) return undefined
    // Counts of another generation start at zero.
    const before = now.status?.observedGeneration === generation ? now.status : {}
    const status: FaultStatus = {
      observedGeneration: generation,
      state: fault === undefined ? 'Invalid' : 'Active',
      ...(message !== undefined && { message }),
      matched: (before.matched ?? 0) + matched - (reported?.matched ?? 0),
      hits: (before.hits ?? 0) + hits - (reported?.hits ?? 0),
    }
    return { ...now, status }
  })
  state.reported = { matched, hits }
}
