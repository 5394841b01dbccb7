import type { Taint, Toleration } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { isExclusive, tolerates, untoleratedTaint } from '../../shared/tolerations.ts'
import { normalizeByHighest, type Plugin, unresolvable } from '../framework.ts'
import { helpsIfSuitable } from '../node-hints.ts'

/**
 * Rejects nodes with taints that the pod does not tolerate, and prefers nodes with few taints of effect
 * PreferNoSchedule.
 */
export const taintToleration = (release: Release): Plugin => ({
  name: 'TaintToleration',
  isNodeLocal: true,
  isHelpedByNode: helpsIfSuitable(({ pod: { spec } }, { node }) => untoleratedTaint(node.spec?.taints, spec.tolerations, isExclusive)),
  preFilter: ({ pod }) => ({
    filter: {
      check({ node }) {
        const taint = untoleratedTaint(node.spec?.taints, pod.spec.tolerations, isExclusive)
        return (
          taint &&
          unresolvable(
            isSince(release, '1.34')
              ? 'node(s) had untolerated taint(s)'
              : `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`,
          )
        )
      },
    },
  }),
  preScore({ pod }) {
    const tolerations = pod.spec.tolerations?.filter(({ effect }) => !effect || effect === 'PreferNoSchedule') ?? []
    return {
      score: ({ node }) => countUntolerated(node.spec?.taints ?? [], tolerations),
      normalize: scores => normalizeByHighest(scores, true),
    }
  },
})

const countUntolerated = (taints: readonly Taint[], tolerations: readonly Toleration[]): number =>
  taints.filter(taint => taint.effect === 'PreferNoSchedule' && !tolerations.some(toleration => tolerates(toleration, taint))).length
