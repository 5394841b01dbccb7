import type { PluginRun } from '../meta/why.ts'
import type { AdmissionFunctions, AdmissionRequest } from '../registry/types.ts'
import { AdmissionMetrics, type StepTimer } from './metrics.ts'
import type { Round } from './reinvocation.ts'

type AdmittedObject = AdmissionRequest['object']

/** One admission plugin: mutating, validating or both. */
export interface AdmissionPlugin {
  readonly name: string
  /** Whether the plugin runs for a request. Called for every write: must be cheap if the result is false. */
  handles(request: AdmissionRequest): boolean
  /**
   * Changes the object in place or resolves to a new one. Throws a StatusError to reject the request. Returns undefined
   * if the plugin finished synchronously and the object is the same.
   */
  mutate?(request: AdmissionRequest, round?: Round): Promise<AdmittedObject> | undefined
  /**
   * Throws or rejects with a StatusError to reject the request. Returns undefined if the request passed synchronously.
   */
  validate?(request: AdmissionRequest): Promise<void> | undefined
}

interface Timed {
  readonly plugin: AdmissionPlugin
  readonly timer: StepTimer
}

/** Runs mutating plugins in order, with a second round if a plugin requests it, and later all validating plugins. */
export function admissionChain(plugins: readonly AdmissionPlugin[], metrics = new AdmissionMetrics()): AdmissionFunctions {
  const admit = metrics.step('admit')
  const validate = metrics.step('validate')
  const mutating = plugins
    .filter(plugin => plugin.mutate !== undefined)
    .map(plugin => ({ plugin, timer: metrics.plugin(plugin.name, 'admit') }))
  const validating = plugins
    .filter(plugin => plugin.validate !== undefined)
    .map(plugin => ({ plugin, timer: metrics.plugin(plugin.name, 'validate') }))
  return {
    async mutate(request) {
      const begun = performance.now()
      let isRejected = true
      try {
        const round: Round = { again: false, wanted: false }
        let object = await mutateBy(mutating, request, round)
        if (round.wanted && object)
          object = await mutateBy(mutating, { ...request, object }, { again: true, wanted: false, memory: round.memory })
        isRejected = false
        return object
      } finally {
        admit.ended(request.operation, isRejected, begun)
      }
    },
    async validate(request) {
      const begun = performance.now()
      let isRejected = true
      try {
        await validateBy(validating, request)
        isRejected = false
      } finally {
        validate.ended(request.operation, isRejected, begun)
      }
    },
  }
}

/** Awaits only plugins that return a promise. Most plugins return synchronously. */
async function mutateBy(plugins: readonly Timed[], request: AdmissionRequest, round: Round): Promise<AdmittedObject> {
  let object = request.object
  for (const { plugin, timer } of plugins) {
    const next = object === request.object || object === undefined ? request : { ...request, object }
    if (!plugin.handles(next)) continue
    const { why } = next.ctx
    const kept = why?.keep(object, 'plugin')
    const begun = performance.now()
    let isRejected = true
    try {
      const mutating = plugin.mutate?.(next, round)
      if (mutating) object = (await mutating) ?? object
      isRejected = false
    } finally {
      timer.ended(next.operation, isRejected, begun)
      why?.note({ ...ran(plugin, 'mutating', isRejected, begun), ...(object && { changes: why.changes(kept, object) }) })
    }
  }
  return object
}

/** Runs validating plugins in order, and observes the duration of each. Rejects with the first error. */
async function validateBy(plugins: readonly Timed[], request: AdmissionRequest): Promise<void> {
  for (const { plugin, timer } of plugins) {
    if (!plugin.handles(request)) continue
    const begun = performance.now()
    let isRejected = true
    try {
      const checking = plugin.validate?.(request)
      if (checking) await checking
      isRejected = false
    } finally {
      timer.ended(request.operation, isRejected, begun)
      request.ctx.why?.note(ran(plugin, 'validating', isRejected, begun))
    }
  }
}

const ran = ({ name }: AdmissionPlugin, phase: PluginRun['phase'], isRejected: boolean, begun: number): PluginRun => ({
  step: 'admission plugin',
  plugin: name,
  phase,
  outcome: isRejected ? 'refused' : 'admitted',
  milliseconds: performance.now() - begun,
})
