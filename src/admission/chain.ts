import type { PluginRun } from '../meta/why.ts'
import type { AdmissionFunctions, AdmissionRequest } from '../registry/types.ts'
import { AdmissionMetrics, type StepTimer } from './metrics.ts'
import type { Round } from './reinvocation.ts'

type AdmittedObject = AdmissionRequest['object']

/** One admission plugin: mutating, validating or both. */
export interface AdmissionPlugin {
  readonly name: string
  /** Asked of every write, so that it costs next to nothing to say no. */
  handles(request: AdmissionRequest): boolean
  /** May change the object in place, or resolve to another. Throws a StatusError to refuse. Undefined: it is done at once, and the object is the same. */
  mutate?(request: AdmissionRequest, round?: Round): Promise<AdmittedObject> | undefined
  /** Undefined: the request passes at once. */
  validate?(request: AdmissionRequest): Promise<void> | undefined
}

interface Timed {
  readonly plugin: AdmissionPlugin
  readonly timer: StepTimer
}

/** Runs the plugins in their order: all that mutate, a second time where one wants it; later all that validate. */
export function admissionChain(plugins: readonly AdmissionPlugin[], metrics = new AdmissionMetrics()): AdmissionFunctions {
  const admit = metrics.step('admit')
  const validate = metrics.step('validate')
  const mutating = plugins.filter(plugin => plugin.mutate !== undefined).map(plugin => ({ plugin, timer: metrics.plugin(plugin.name, 'admit') }))
  const validating = plugins.filter(plugin => plugin.validate !== undefined).map(plugin => ({ plugin, timer: metrics.plugin(plugin.name, 'validate') }))
  return {
    async mutate(request) {
      const begun = performance.now()
      let isRejected = true
      try {
        const round: Round = { again: false, wanted: false }
        let object = await mutateBy(mutating, request, round)
        if (round.wanted && object) object = await mutateBy(mutating, { ...request, object }, { again: true, wanted: false, memory: round.memory })
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

/** Waits only for plugins that have to wait: most answer at once. */
async function mutateBy(plugins: readonly Timed[], request: AdmissionRequest, round: Round): Promise<AdmittedObject> {
  let object = request.object
  for (const { plugin, timer } of plugins) {
    const next = object === request.object || object === undefined ? request : { ...request, object }
    if (!plugin.handles(next)) continue
    const { why } = next.ctx
    const kept = why?.keep(object)
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
