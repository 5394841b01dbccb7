import type { JsonObject } from '../../../api/meta/object.ts'
import { objectIn } from '../../../api/meta/object.ts'
import { parseDeclarations } from '../../../cel/declarations.ts'
import { type Environment, withLibrary } from '../../../cel/environment.ts'
import type { Implementation } from '../../../cel/functions/implementation.ts'
import { documentOf } from '../../../cel/values/json.ts'
import { CelDouble, CelError, type Value } from '../../../cel/values/value.ts'
import { type UsageSource, usageEnvironment } from './usage-environment.ts'

/** Object that an expression asks about: a pod, or a node if the namespace is empty. */
export interface MeasuredObject {
  readonly namespace: string
  readonly name: string
}

/** Measurements of pods and nodes. */
export interface Measurements {
  /**
   * Returns what a pod, one of its containers, or a node uses of a resource now: cores, or bytes.
   * @param container Undefined for all containers of the pod
   */
  usage(of: MeasuredObject, resource: string, container: string | undefined): number
  /** Like `usage`, summed over the seconds since it was asked first. */
  cumulativeUsage(of: MeasuredObject, resource: string, container: string | undefined): number
  /** Returns how many containers have been started on a node. */
  startedContainers(node: string): number
}

/** Functions of kwok in expressions of metrics. Source: kwok, pkg/kwok/metrics/evaluator.go. */
const FUNCTIONS = parseDeclarations(`
  kwok_usage: .Usage(dyn, string) -> double
  kwok_container_usage: .Usage(dyn, string, string) -> double
  kwok_cumulative_usage: .CumulativeUsage(dyn, string) -> double
  kwok_container_cumulative_usage: .CumulativeUsage(dyn, string, string) -> double
  kwok_started: StartedContainersTotal(dyn) -> double
  kwok_started_of: .StartedContainersTotal(dyn) -> double
  kwok_started_old: startedContainersTotal(dyn) -> double
  kwok_started_old_of: .startedContainersTotal(dyn) -> double
  kwok_now_old: now() -> timestamp
`)

/**
 * Returns the environment of expressions of metrics: that of usage, and functions that read measurements.
 * @param measurements returns those of the scrape that is evaluated
 */
export function metricEnvironment(source: UsageSource, measurements: () => Measurements): Environment {
  const usage = usageEnvironment(source)
  const measured =
    (read: (of: MeasuredObject, resource: string, container: string | undefined) => number): Implementation =>
    (object = null, resource = null, container) => {
      const of = measuredObject(object)
      if (of === undefined) return new CelError('not a pod or a node')
      if (typeof resource !== 'string') return new CelError('the name of a resource is not a string')
      return new CelDouble(read(of, resource, typeof container === 'string' ? container : undefined))
    }
  const used = measured((...args) => measurements().usage(...args))
  const cumulative = measured((...args) => measurements().cumulativeUsage(...args))
  const started: Implementation = (node = null) => {
    const name = typeof node === 'string' ? node : measuredObject(node)?.name
    return name === undefined ? new CelError('not a node') : new CelDouble(measurements().startedContainers(name))
  }
  const now = usage.implementations?.get('kwok_now')
  const implementations = new Map<string, Implementation>([
    ...(usage.implementations ?? []),
    ['kwok_usage', used],
    ['kwok_container_usage', used],
    ['kwok_cumulative_usage', cumulative],
    ['kwok_container_cumulative_usage', cumulative],
    ['kwok_started', started],
    ['kwok_started_of', started],
    ['kwok_started_old', started],
    ['kwok_started_old_of', started],
    ...(now ? ([['kwok_now_old', now]] as const) : []),
  ])
  return { ...withLibrary(usage, FUNCTIONS, new Map()), implementations }
}

function measuredObject(value: Value): MeasuredObject | undefined {
  const { name, namespace }: JsonObject = objectIn(objectIn(documentOf(value)).metadata)
  return typeof name === 'string' ? { namespace: typeof namespace === 'string' ? namespace : '', name } : undefined
}
