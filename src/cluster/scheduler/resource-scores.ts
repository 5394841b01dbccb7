import { MAX_SCORE } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'

/** A resource with its weight in a score. Source: ResourceSpec of kubescheduler.config.k8s.io/v1. */
export interface WeightedResource {
  readonly name: string
  /** Defaults to 1. */
  readonly weight?: number
}

/** Use of one resource of a node if the pod ran there. */
export interface ResourceUse {
  /** Sum of the requests of the pods on the node and of the pod. */
  readonly requested: number
  /** Above zero. */
  readonly allocatable: number
  readonly weight: number
}

/** Default resources of scores. */
export const CPU_AND_MEMORY: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

/**
 * Returns the use of each resource that the node has. `isAssumed`: containers without requests count with assumed ones.
 * An extended resource that the pod does not request is left out.
 */
export function resourceUses(resources: readonly WeightedResource[], pod: PodInfo, node: NodeInfo, isAssumed: boolean): ResourceUse[] {
  const podRequests = isAssumed ? pod.assumedRequests : pod.requests
  const uses: ResourceUse[] = []
  for (const { name, weight = 1 } of resources) {
    const allocatable = node.allocatable.get(name) ?? 0
    const request = podRequests.get(name) ?? 0
    if (allocatable === 0 || (request === 0 && isExtended(name))) continue
    const used = (isAssumed && ASSUMED.has(name) ? node.assumed : node.requested).get(name) ?? 0
    uses.push({ requested: used + request, allocatable, weight: weight || 1 })
  }
  return uses
}

/** Resources for which containers without a request count with an assumed one. */
const ASSUMED: ReadonlySet<string> = new Set(['cpu', 'memory'])
/** Resources that every node has. All others are extended ones. */
const NATIVE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const isExtended = (name: string): boolean => !NATIVE.has(name)

/** Prefers nodes with much room left. */
export const leastAllocated = ({ requested, allocatable }: ResourceUse): number =>
  requested > allocatable ? 0 : Math.trunc(((allocatable - requested) * MAX_SCORE) / allocatable)

/** Prefers nodes with little room left. */
export const mostAllocated = ({ requested, allocatable }: ResourceUse): number =>
  Math.trunc((Math.min(requested, allocatable) * MAX_SCORE) / allocatable)

/** Weighted mean of the scores of resources, rounded down. */
export function weightedMean(uses: readonly ResourceUse[], score: (use: ResourceUse) => number): number {
  let sum = 0
  let weights = 0
  for (const use of uses) {
    sum += score(use) * use.weight
    weights += use.weight
  }
  return weights === 0 ? 0 : Math.trunc(sum / weights)
}

/** A point of a function of utilization, both in percent of their highest value: utilization of 100, score of 10. */
export interface ShapePoint {
  /** Utilization in percent. */
  readonly utilization: number
  /** Optional. Score of at most 10. Defaults to 0. */
  readonly score?: number
}

/** Highest score of a point. */
const SHAPE_MAX = 10

/**
 * Returns the score of a utilization in percent by a broken line through the points. Source: BuildBrokenLinearFunction.
 */
export function brokenLine(shape: readonly ShapePoint[]): (utilization: number) => number {
  const points = shape.map(({ utilization, score = 0 }) => ({ at: utilization, score: score * (MAX_SCORE / SHAPE_MAX) }))
  return utilization => {
    for (const [i, { at, score }] of points.entries()) {
      if (utilization > at) continue
      const before = points[i - 1]
      return before === undefined
        ? score
        : before.score + Math.trunc(((score - before.score) * (utilization - before.at)) / (at - before.at))
    }
    return points.at(-1)?.score ?? 0
  }
}

/** Scores by utilization. Resources with a score of zero do not count. Source: requestedToCapacityRatioScorer. */
export function requestedToCapacity(uses: readonly ResourceUse[], line: (utilization: number) => number): number {
  let sum = 0
  let weights = 0
  for (const { requested, allocatable, weight } of uses) {
    const score = line(requested > allocatable ? 100 : Math.trunc((requested * 100) / allocatable))
    if (score <= 0) continue
    sum += score * weight
    weights += weight
  }
  return weights === 0 ? 0 : Math.round(sum / weights)
}
