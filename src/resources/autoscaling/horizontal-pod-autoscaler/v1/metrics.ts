import type { LabelSelector } from '../../../../meta/label-selector.ts'
import type { Json, JsonObject } from '../../../../meta/object.ts'
import type * as v1 from '../../v1.types.ts'
import type * as v2 from '../../v2.types.ts'

/** Metrics as v1 has them in its annotations: flat, with names that say what is meant. Quantities that v1 always writes are 0 where v2 has none. */

/** What v1 writes for a quantity that v2 leaves out. */
export const ZERO = '0'

/** Without the members that are not there. */
export function defined(members: Readonly<Record<string, Json | undefined>>): Json {
  const present: JsonObject = {}
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value
  return present
}

/** A quantity that stands for none where another says what is meant. */
export const unlessZero = (value: string | undefined, other: unknown): string | undefined => (value === ZERO && other !== undefined ? undefined : value)

/** Which of the metrics of a name is meant. */
export const identifier = (name: string, selector: LabelSelector | undefined): Json => defined({ name, selector })

const resourceToV1 = ({ target, ...source }: v2.ResourceMetricSource | v2.ContainerResourceMetricSource): Json =>
  defined({ ...source, targetAverageUtilization: target.averageUtilization, targetAverageValue: target.averageValue })

/** A utilization makes the type `Utilization`, also beside an average value. */
const resourceToV2 = (source: v1.ResourceMetricSource | v1.ContainerResourceMetricSource): Json => {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue, ...rest } = source
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization'
  return { ...rest, target: defined({ type, averageValue, averageUtilization }) }
}

/** A metric as an annotation of v1 holds it. */
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
    pods: pods && defined({ metricName: pods.metric.name, targetAverageValue: pods.target.averageValue ?? ZERO, selector: pods.metric.selector }),
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

/** averageValue makes the type `AverageValue`; a targetValue of 0 beside it stands for an absent one. */
const objectToV2 = ({ target, metricName, targetValue, selector, averageValue }: v1.ObjectMetricSource): Json => ({
  describedObject: target,
  metric: identifier(metricName, selector),
  target: defined({ type: averageValue === undefined ? 'Value' : 'AverageValue', value: unlessZero(targetValue, averageValue), averageValue }),
})

const podsToV2 = ({ metricName, targetAverageValue, selector }: v1.PodsMetricSource): Json => ({
  metric: identifier(metricName, selector),
  target: { type: 'AverageValue', averageValue: targetAverageValue },
})

/** targetValue makes the type `Value`, also beside an average. */
const externalToV2 = ({ metricName, metricSelector, targetValue, targetAverageValue }: v1.ExternalMetricSource): Json => ({
  metric: identifier(metricName, metricSelector),
  target: defined({ type: targetValue === undefined ? 'AverageValue' : 'Value', value: targetValue, averageValue: targetAverageValue }),
})

/** The reverse: the kind of target follows from the members that are set. */
export const metricToV2 = ({ type, object, pods, resource, containerResource, external }: v1.MetricSpec): Json =>
  defined({
    type,
    object: object && objectToV2(object),
    pods: pods && podsToV2(pods),
    resource: resource && resourceToV2(resource),
    containerResource: containerResource && resourceToV2(containerResource),
    external: external && externalToV2(external),
  })
