import type { AdmissionFunctions, AdmissionRequest } from '../registry/types.ts'
import { AdmissionMetrics } from './metrics.ts'
import type { Round } from './reinvocation.ts'

/** One admission plugin: mutating, validating or both. */
export interface AdmissionPlugin {
  readonly name: string
  handles(request: AdmissionRequest): boolean
  /** May change the object in place, or return another. Throws a StatusError to refuse. */
  mutate?(request: AdmissionRequest, round?: Round): Promise<AdmissionRequest['object']>
  /** Undefined: the request passes at once. */
  validate?(request: AdmissionRequest): Promise<void> | undefined
}

/** Runs the plugins in their order: all that mutate, a second time where one wants it; later all that validate. */
export function admissionChain(plugins: readonly AdmissionPlugin[], metrics = new AdmissionMetrics()): AdmissionFunctions {
  const mutating = plugins.filter(plugin => plugin.mutate !== undefined)
  const validating = plugins.filter(plugin => plugin.validate !== undefined)
  const go = async (request: AdmissionRequest, round: Round): Promise<AdmissionRequest['object']> => {
    let object = request.object
    for (const plugin of mutating) {
      const next = object === request.object || object === undefined ? request : { ...request, object }
      if (plugin.handles(next)) object = (await metrics.timed(plugin.name, 'admit', next.operation, () => plugin.mutate?.(next, round))) ?? object
    }
    return object
  }
  return {
    mutate: request =>
      metrics.timed('', 'admit', request.operation, async () => {
        const round: Round = { again: false, wanted: false }
        const object = await go(request, round)
        if (!round.wanted || !object) return object
        return go({ ...request, object }, { again: true, wanted: false, memory: round.memory })
      }),
    validate: request =>
      metrics.timed('', 'validate', request.operation, async () => {
        for (const plugin of validating.filter(each => each.handles(request)))
          await metrics.timed(plugin.name, 'validate', request.operation, () => plugin.validate?.(request))
      }),
  }
}
