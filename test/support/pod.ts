import type { JsonObject } from '../../src/api/meta/object.ts'
import type { HookContext, Strategy } from '../../src/catalog/strategy.ts'
import { resultAtOnce, runAtOnce } from '../../src/lib/steps.ts'
import { clone } from '../../src/meta/equal.ts'
import { fieldErrorText } from '../../src/meta/field-error.ts'
import { podResource } from '../../src/resources/core/pod/definition.ts'
import { decode } from '../../src/schema/decode.ts'
import { applyDefaults } from '../../src/schema/default.ts'
import type { AnyObject } from './any-object.ts'
import { clearTurnedOff, hookContext } from './hook-context.ts'
import { kindErrors } from './kind-errors.ts'

/** 2026-01-01T16:00:00Z */
export const NOW = Date.UTC(2026, 0, 1, 16)

const version = podResource.hub

/** A pod whose members tests read without asking whether they are there. */
export type TestPod = AnyObject & { spec: AnyObject['spec']; status: AnyObject['status'] }

/** A pod as the registry hands it to hooks: decoded and defaulted. */
export function decodePod(body: unknown): TestPod {
  const pod = decode(version.schema, clone(body) as JsonObject) as unknown as TestPod
  applyDefaults(version.schema, pod as unknown as JsonObject)
  version.setDefaults?.(pod)
  return pod
}

/** A pod with one container; `spec` replaces parts of it. */
export const podWith = (spec: object, metadata: object = {}, status?: object): TestPod =>
  decodePod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
    ...(status && { status }),
  })

export const contextOf = (subresource = '', warned: string[] = []): HookContext =>
  hookContext({
    now: NOW,
    subresource,
    request: { warn: (text: string) => warned.push(text) } as unknown as NonNullable<HookContext['request']>,
  })

const strategyOf = (subresource: string): Strategy => ({ ...podResource.strategy, ...version.subresources?.[subresource]?.strategy })

/** Creates: prepares, and gives the texts of what is wrong. */
export function createPod(pod: AnyObject, warned: string[] = []): string[] {
  const strategy = strategyOf('')
  const ctx = contextOf('', warned)
  clearTurnedOff(podResource, ctx, pod)
  const rest = strategy.prepare?.(pod, undefined, ctx)
  if (rest) runAtOnce(rest)
  const errors = kindErrors(strategy, pod, undefined, ctx).map(fieldErrorText)
  warned.push(...resultAtOnce(strategy.warnings?.(pod, undefined, ctx) ?? []))
  return errors
}

/** Updates: `change` gets a copy of the old pod. Gives the new one and the texts of what is wrong. */
export function updatePod(old: AnyObject, change: (pod: AnyObject) => void, subresource = ''): { pod: TestPod; errors: string[] } {
  const strategy = strategyOf(subresource)
  const pod = clone(old)
  change(pod)
  const next = decodePod(pod)
  if (old.metadata.generation !== undefined) next.metadata.generation = old.metadata.generation
  const before = JSON.stringify(old)
  clearTurnedOff(podResource, contextOf(subresource), next, old)
  const rest = strategy.prepare?.(next, old, contextOf(subresource))
  if (rest) runAtOnce(rest)
  const errors = kindErrors(strategy, next, old, contextOf(subresource)).map(fieldErrorText)
  if (JSON.stringify(old) !== before) throw new Error('the old pod was mutated')
  return { pod: next, errors }
}

/** A pod that has been created. */
export function createdPod(spec: object, metadata: object = {}): TestPod {
  const pod = podWith(spec, metadata)
  const errors = createPod(pod)
  if (errors.length > 0) throw new Error(errors.join('\n'))
  return pod
}
