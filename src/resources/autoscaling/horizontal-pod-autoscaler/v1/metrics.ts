import type * as v1 from '../../../../api/autoscaling/v1.types.ts'
import type * as v2 from '../../../../api/autoscaling/v2.types.ts'
import type { Json, JsonObject } from '../../../../api/meta/object.ts'
import type { LabelSelector } from '../../../../api/meta/v1.types.ts'

/**
 * Metrics in the form of v1's annotations, which is flat, with descriptive names. Quantities that v1 always writes are
 * 0 if v2 has none.
 */

/** Value that v1 writes for a quantity that v2 omits. */
export const ZERO = '0'

/** Returns the members without undefined values. */
export function defined(members: Readonly<Record<string, Json | undefined>>): Json {
  const present: JsonObject = {}
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value
  return present
}

/** Returns undefined for a quantity of 0 if another value determines the meaning. */
export const unlessZero = (value: string | undefined, other: unknown): string | undefined =>
  value === ZERO && other !== undefined ? undefined : value

/** Creates the identifier of a metric: its name, and optionally a selector. */
export const identifier = (name: string, selector: LabelSelector | undefined): Json => defined({ name, selector })

const resourceToV1 = ({ target, ...source }: v2.ResourceMetricSource | v2.ContainerResourceMetricSource): Json =>
  defined({ ...source, targetAverageUtilization: target.averageUtilization, targetAverageValue: target.averageValue })

/** With a utilization the type is `Utilization`, even if there is an average value as well. */
const resourceToV2 = (source: v1.ResourceMetricSource | v1.ContainerResourceMetricSource): Json => {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue, ...rest } = source
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization'
  return { ...rest, target: defined({ type, averageValue, averageUtilization }) }
}

/** Converts a metric to the form of v1's annotations. */
export const metricToV1 = ({ type, object, pods, resource, containerResource, external }: v2.MetricSpec): Json =>
  defined({
    type,
    object:
      object &&
      defined({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? ZERO,
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      defined({ metricName: pods.metric.name, targetAverageValue: pods.target.averageValue ?? ZERO, selector: pods.metric.selector }),
    resource: resource && resourceToV1(resource),
    containerResource: containerResource && resourceToV1(containerResource),
    external:
      external &&
      defined({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  })

/** With an averageValue the type is `AverageValue`, and a targetValue of 0 stands for an absent value. */
const objectToV2 = ({ target, metricName, targetValue, selector, averageValue }: v1.ObjectMetricSource): Json => ({
  describedObject: target,
  metric: identifier(metricName, selector),
  target: defined({
    type: averageValue === undefined ? 'Value' : 'AverageValue',
    value: unlessZero(targetValue, averageValue),
    averageValue,
  }),
})

const podsToV2 = ({ metricName, targetAverageValue, selector }: v1.PodsMetricSource): Json => ({
  metric: identifier(metricName, selector),
  target: { type: 'AverageValue', averageValue: targetAverageValue },
})

/** With a targetValue the type is `Value`, even if there is an average as well. */
const externalToV2 = ({ metricName, metricSelector, targetValue, targetAverageValue }: v1.ExternalMetricSource): Json => ({
  metric: identifier(metricName, metricSelector),
  target: defined({ type: targetValue === undefined ? 'AverageValue' : 'Value', value: targetValue, averageValue: targetAverageValue }),
})

/**
 * Converts a metric from the form of v1's annotations. The type of the target follows from the members that are set.
 */
export const metricToV2 = ({ type, object, pods, resource, containerResource, external }: v1.MetricSpec): Json =>
  defined({
    type,
    object: object && objectToV2(object),
    pods: pods && podsToV2(pods),
    resource: resource && resourceToV2(resource),
    containerResource: containerResource && resourceToV2(containerResource),
    external: external && externalToV2(external),
  })
