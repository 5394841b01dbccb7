import type { AdmissionFunctions, AdmissionRequest } from '../registry/types.ts'

/** One admission plugin: mutating, validating or both. */
export interface AdmissionPlugin {
  readonly name: string
  handles(request: AdmissionRequest): boolean
  /** May change the object in place, or return another. Throws a StatusError to refuse. */
  mutate?(request: AdmissionRequest): Promise<AdmissionRequest['object']>
  validate?(request: AdmissionRequest): Promise<void>
}

/** Runs the plugins in their order: all that mutate, later all that validate. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): AdmissionFunctions {
  const mutating = plugins.filter(plugin => plugin.mutate !== undefined)
  const validating = plugins.filter(plugin => plugin.validate !== undefined)
  return {
    async mutate(request) {
      let object = request.object
      for (const plugin of mutating) {
        const next = object === request.object || object === undefined ? request : { ...request, object }
        if (plugin.handles(next)) object = (await plugin.mutate?.(next)) ?? object
      }
      return object
    },
    async validate(request) {
      for (const plugin of validating) if (plugin.handles(request)) await plugin.validate?.(request)
    },
  }
}
