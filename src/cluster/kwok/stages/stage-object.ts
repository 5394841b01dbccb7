import type { JsonObject } from '../../../api/meta/object.ts'
import { KWOK_API_VERSION } from '../object-reader.ts'

/** A requirement on the results of a query. */
export interface QueryRequirement {
  /** Query in jq. */
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  /** Only for `In` and `NotIn`. */
  readonly values?: string[]
}

/** Creates a Stage for a kind of the core group. */
export const stageObject = (name: string, kind: string, requirements: readonly QueryRequirement[], rest: JsonObject): JsonObject => ({
  apiVersion: KWOK_API_VERSION,
  kind: 'Stage',
  metadata: { name },
  spec: {
    resourceRef: { apiGroup: 'v1', kind },
    selector: { matchExpressions: requirements.map(({ key, operator, values }) => ({ jq: { key, operator, ...(values && { values }) } })) },
    ...rest,
  },
})

/** A step that renders the status. */
export const statusStep = (template: string): JsonObject => ({ patch: { root: 'status', subresource: 'status', template } })

export const IS_DELETED: QueryRequirement = { key: '.metadata.deletionTimestamp', operator: 'Exists' }
export const IS_NOT_DELETED: QueryRequirement = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' }
/** The pod or namespace is in one of the phases. */
export const hasPhase = (...phases: string[]): QueryRequirement => ({ key: '.status.phase', operator: 'In', values: phases })

/** Query for the status of a condition. */
export const conditionStatus = (type: string): string => `.status.conditions[] | select(.type == "${type}") | .status`

/**
 * Weight, delay and jitter of a stage of pods, which annotations of the pod can change:
 * `NAME.stage.kwok.x-k8s.io/delay`, `/jitter-delay` and `/weight`, as for kwok's stages.
 */
export const adjustable = (name: string, durationMilliseconds: number, jitterDurationMilliseconds: number): JsonObject => {
  const annotation = (part: string): JsonObject => ({ jq: { expression: `.metadata.annotations["${name}.stage.kwok.x-k8s.io/${part}"]` } })
  return {
    weight: 1,
    weightFrom: annotation('weight'),
    delay: {
      durationMilliseconds,
      durationFrom: annotation('delay'),
      jitterDurationMilliseconds,
      jitterDurationFrom: annotation('jitter-delay'),
    },
  }
}
