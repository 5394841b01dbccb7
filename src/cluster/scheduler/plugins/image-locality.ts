import type { Pod } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { MAX_SCORE, type Plugin } from '../framework.ts'

const MIB = 1024 * 1024
/**
 * Sum of sizes below which a node has no advantage, and for each container the sum above which it has no further one.
 */
const LEAST = 23 * MIB
const MOST_PER_CONTAINER = 1000 * MIB

/**
 * Prefers nodes that have the pod's images: those of containers, and since 1.36 those of volumes. An image counts the
 * less the fewer nodes have it, so that pods do not crowd on one node.
 */
export const imageLocality = (release: Release): Plugin => ({
  name: 'ImageLocality',
  isNodeLocal: true,
  preScore({ pod }, snapshot) {
    const ofContainers = containerImages(pod)
    const images = isSince(release, '1.36') ? [...ofContainers, ...volumeImages(pod)] : ofContainers
    const most = MOST_PER_CONTAINER * ofContainers.length
    return {
      score({ node }) {
        const sizes = new Map(
          node.status?.images?.flatMap(({ names, sizeBytes }) => (names ?? []).map(name => [name, Number(sizeBytes ?? 0)] as const)),
        )
        let sum = 0
        for (const image of images) {
          const size = sizes.get(image)
          if (size !== undefined) sum += Math.trunc(size * (snapshot.nodesWithImage(image) / snapshot.nodes.length))
        }
        return Math.trunc((MAX_SCORE * (Math.min(Math.max(sum, LEAST), most) - LEAST)) / (most - LEAST))
      },
    }
  },
})

const volumeImages = ({ spec }: Pod): string[] =>
  (spec.volumes ?? []).flatMap(({ image }) => (image ? [taggedName(image.reference ?? '')] : []))

const containerImages = ({ spec }: Pod): string[] =>
  [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(({ image = '' }) => taggedName(image))

/** Adds the tag that a container runtime assumes. */
const taggedName = (image: string): string => (image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image)
