import type { ApiStruct } from '../../../core/checks.ts'

/** Metrics as v1 has them in its annotations: flat, with names that say what is meant. Quantities that v1 always writes are 0 where v2 has none. */

const ZERO = '0'

/** Without the members that are not there. */
const defined = (members: Record<string, unknown>): ApiStruct => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** A quantity that stands for none where another says what is meant. */
const unlessZero = (value: string | undefined, other: unknown): string | undefined => (value === ZERO && other !== undefined ? undefined : value)

type Convert = (source: ApiStruct) => ApiStruct

interface Sources {
  readonly toV1: Readonly<Record<string, Convert>>
  readonly toV2: Readonly<Record<string, Convert>>
}

const identifier = (name: string, selector: unknown): ApiStruct => defined({ name, selector })

const resourceToV1: Convert = ({ name, container, target = {} }) =>
  defined({ name, container, targetAverageUtilization: target.averageUtilization, targetAverageValue: target.averageValue })

const resourceToV2: Convert = ({ name, container, targetAverageUtilization: averageUtilization, targetAverageValue: averageValue }) => {
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization'
  return defined({ name, container, target: defined({ type, averageValue, averageUtilization }) })
}

const SPECS: Sources = {
  toV1: {
    object: ({ describedObject, metric = {}, target = {} }) =>
      defined({
        target: describedObject,
        metricName: metric.name,
        targetValue: target.value ?? ZERO,
        selector: metric.selector,
        averageValue: target.averageValue,
      }),
    pods: ({ metric = {}, target = {} }) => defined({ metricName: metric.name, targetAverageValue: target.averageValue ?? ZERO, selector: metric.selector }),
    resource: resourceToV1,
    containerResource: resourceToV1,
    external: ({ metric = {}, target = {} }) =>
      defined({ metricName: metric.name, metricSelector: metric.selector, targetValue: target.value, targetAverageValue: target.averageValue }),
  },
  toV2: {
    object: ({ target, metricName, targetValue, selector, averageValue }) => ({
      describedObject: target,
      metric: identifier(metricName, selector),
      target: defined({ type: averageValue === undefined ? 'Value' : 'AverageValue', value: unlessZero(targetValue, averageValue), averageValue }),
    }),
    pods: ({ metricName, targetAverageValue, selector }) => ({
      metric: identifier(metricName, selector),
      target: { type: 'AverageValue', averageValue: targetAverageValue },
    }),
    resource: resourceToV2,
    containerResource: resourceToV2,
    external: ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
      metric: identifier(metricName, metricSelector),
      target: defined({ type: targetValue === undefined ? 'AverageValue' : 'Value', value: targetValue, averageValue: targetAverageValue }),
    }),
  },
}

const resourceStatusToV1: Convert = ({ name, container, current = {} }) =>
  defined({ name, container, currentAverageUtilization: current.averageUtilization, currentAverageValue: current.averageValue ?? ZERO })

const resourceStatusToV2: Convert = ({ name, container, currentAverageUtilization: averageUtilization, currentAverageValue }) =>
  defined({ name, container, current: defined({ averageValue: unlessZero(currentAverageValue, averageUtilization), averageUtilization }) })

const STATUSES: Sources = {
  toV1: {
    object: ({ describedObject, metric = {}, current = {} }) =>
      defined({
        target: describedObject,
        metricName: metric.name,
        currentValue: current.value ?? ZERO,
        selector: metric.selector,
        averageValue: current.averageValue,
      }),
    pods: ({ metric = {}, current = {} }) => defined({ metricName: metric.name, currentAverageValue: current.averageValue ?? ZERO, selector: metric.selector }),
    resource: resourceStatusToV1,
    containerResource: resourceStatusToV1,
    external: ({ metric = {}, current = {} }) =>
      defined({
        metricName: metric.name,
        metricSelector: metric.selector,
        currentValue: current.value ?? ZERO,
        currentAverageValue: current.averageValue,
      }),
  },
  toV2: {
    object: ({ target, metricName, currentValue, selector, averageValue }) => ({
      describedObject: target,
      metric: identifier(metricName, selector),
      current: defined({ value: unlessZero(currentValue, averageValue), averageValue }),
    }),
    pods: ({ metricName, currentAverageValue, selector }) => ({
      metric: identifier(metricName, selector),
      current: { averageValue: currentAverageValue },
    }),
    resource: resourceStatusToV2,
    containerResource: resourceStatusToV2,
    external: ({ metricName, metricSelector, currentValue, currentAverageValue }) => ({
      metric: identifier(metricName, metricSelector),
      current: defined({ value: unlessZero(currentValue, currentAverageValue), averageValue: currentAverageValue }),
    }),
  },
}

const convert =
  (sources: Readonly<Record<string, Convert>>): Convert =>
  metric =>
    defined({ type: metric.type, ...Object.fromEntries(Object.entries(sources).map(([member, to]) => [member, metric[member] && to(metric[member])])) })

export const metricToV1 = convert(SPECS.toV1)
export const metricToV2 = convert(SPECS.toV2)
export const metricStatusToV1 = convert(STATUSES.toV1)
export const metricStatusToV2 = convert(STATUSES.toV2)
