import type { Deployment, ReplicaSet } from '../../../api/apps/v1.types.ts'
import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { cloneInSteps } from '../../../meta/whole-floats.ts'
import { DEPLOYMENTS } from '../../shared/kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { templateHashInSteps } from '../../shared/template-hash.ts'
import { withMembers } from '../../shared/with-members.ts'
import { TEMPLATE_HASH } from './replica-sets.ts'
import { newSetAnnotations, sizeAnnotations } from './revisions.ts'
import { maxSurge, newSetReplicas, replicasOf } from './rollout.ts'

const LONGEST_NAME = 253

/** Returns the set to create for the template of a deployment. @param old all sets of the deployment. */
export function* replicaSetFor(deployment: Deployment, old: readonly ReplicaSet[], revision: number, release: Release): Steps<ReplicaSet> {
  const { namespace = '', name = '' } = deployment.metadata
  const { selector, minReadySeconds } = deployment.spec
  const hash = yield* templateHashInSteps(deployment.spec.template, deployment.status.collisionCount)
  const template = yield* withHash(deployment.spec.template, hash)
  const prefix = isSince(release, '1.34') ? name.slice(0, LONGEST_NAME - 1 - hash.length) : name
  const annotations = Object.assign(
    yield* newSetAnnotations(deployment, {}, revision),
    sizeAnnotations(replicasOf(deployment), replicasOf(deployment) + maxSurge(deployment)),
  )
  return {
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    metadata: {
      namespace,
      name: `${prefix}-${hash}`,
      labels: yield* cloneInSteps(template.metadata.labels ?? {}),
      annotations,
      ownerReferences: [controllerReference(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas: newSetReplicas(deployment, old, 0),
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: yield* runIfSteps(withMembers(selector?.matchLabels, { [TEMPLATE_HASH]: hash })) },
      template,
    },
    status: { replicas: 0 },
  }
}

function* withHash(template: PodTemplateSpec, hash: string): Steps<PodTemplateSpec> {
  const { metadata, spec } = yield* cloneInSteps(template)
  const labels = metadata.labels ?? {}
  labels[TEMPLATE_HASH] = hash
  return { metadata: { ...metadata, labels }, spec }
}
