import type * as v1 from '../../../../api/autoscaling/v1.types.ts'
import type * as v2 from '../../../../api/autoscaling/v2.types.ts'
import type { Json } from '../../../../api/meta/object.ts'
import { defined, identifier, unlessZero, ZERO } from './metrics.ts'

/** Converts the status of a resource metric, with the measured values. */

const resourceToV1 = ({ current, ...source }: v2.ResourceMetricStatus | v2.ContainerResourceMetricStatus): Json =>
  defined({ ...source, currentAverageUtilization: current.averageUtilization, currentAverageValue: current.averageValue ?? ZERO })

/** v1 always writes currentAverageValue: with a utilization, 0 stands for an absent value. */
const resourceToV2 = (source: v1.ResourceMetricStatus | v1.ContainerResourceMetricStatus): Json => {
  const { currentAverageUtilization: averageUtilization, currentAverageValue, ...rest } = source
  return { ...rest, current: defined({ averageValue: unlessZero(currentAverageValue, averageUtilization), averageUtilization }) }
}

/** Converts the status of a metric to the form of v1's annotations. */
export const metricStatusToV1 = ({ type, object, pods, resource, containerResource, external }: v2.MetricStatus): Json =>
  defined({
    type,
    object:
      object &&
      defined({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? ZERO,
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      defined({ metricName: pods.metric.name, currentAverageValue: pods.current.averageValue ?? ZERO, selector: pods.metric.selector }),
    resource: resource && resourceToV1(resource),
    containerResource: containerResource && resourceToV1(containerResource),
    external:
      external &&
      defined({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? ZERO,
        currentAverageValue: external.current.averageValue,
      }),
  })

/** v1 always writes currentValue: with an averageValue, 0 stands for an absent value. */
const objectToV2 = ({ target, metricName, currentValue, selector, averageValue }: v1.ObjectMetricStatus): Json => ({
  describedObject: target,
  metric: identifier(metricName, selector),
  current: defined({ value: unlessZero(currentValue, averageValue), averageValue }),
})

const podsToV2 = ({ metricName, currentAverageValue, selector }: v1.PodsMetricStatus): Json => ({
  metric: identifier(metricName, selector),
  current: { averageValue: currentAverageValue },
})

/** With an average, 0 stands for an absent value, as for objects. */
const externalToV2 = ({ metricName, metricSelector, currentValue, currentAverageValue }: v1.ExternalMetricStatus): Json => ({
  metric: identifier(metricName, metricSelector),
  current: defined({ value: unlessZero(currentValue, currentAverageValue), averageValue: currentAverageValue }),
})

/** Converts the status of a metric from the form of v1's annotations. */
export const metricStatusToV2 = ({ type, object, pods, resource, containerResource, external }: v1.MetricStatus): Json =>
  defined({
    type,
    object: object && objectToV2(object),
    pods: pods && podsToV2(pods),
    resource: resource && resourceToV2(resource),
    containerResource: containerResource && resourceToV2(containerResource),
    external: external && externalToV2(external),
  })
