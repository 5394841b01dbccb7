import type { Pod } from '../../../api/core/v1.types.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goChanges } from '../../shared/go-values.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import { dropDisabledPodFields } from '../pod-spec/drop.ts'
import { podUpdateOptions } from '../pod-spec/options.ts'
import { bumpGeneration, restoreMetadata } from './prepare.ts'
import { validateAnnotationsUpdate, validatePod } from './validation.ts'

/** Adds ephemeral containers, for debugging, to a running pod. All other changes are ignored. */
export const ephemeralContainersStrategy: Strategy<Pod> = {
  validateName: nameIsDnsSubdomain,
  metaRounds: ['change', 'whole'],
  resetFields: [['status']],
  prepare(next, old, { features }) {
    if (!old) return undefined
    const containers = next.spec.ephemeralContainers
    next.spec = { ...old.spec }
    if (containers) next.spec.ephemeralContainers = containers
    else delete next.spec.ephemeralContainers
    next.status = old.status
    restoreMetadata(next, old, features)
    dropDisabledPodFields(next.spec, old.spec, features)
    return bumpGeneration(next, old, features)
  },
  validate: (next, old, { features }) => (old ? validateAddedContainers(next, old, features) : []),
}

/** Checks that containers are only added. Since 1.27 a static pod accepts none: that error replaces all others. */
function* validateAddedContainers(next: Pod, old: Pod, features: Features): Steps<FieldError[]> {
  const options = yield* podUpdateOptions(features, next, old)
  const errors = yield* validatePod(next, options)
  errors.push(...(yield* validateAnnotationsUpdate(next, old, options)))
  const isStatic = old.metadata.annotations?.[MIRROR_POD] !== undefined
  if (isStatic && isSince(features.release, '1.27')) return [forbidden(fieldPath(), 'static pods do not support ephemeral containers')]
  const path = fieldPath('spec', 'ephemeralContainers')
  const byName = new Map((next.spec.ephemeralContainers ?? []).map(container => [container.name, container]))
  for (const container of old.spec.ephemeralContainers ?? []) {
    const after = byName.get(container.name)
    const which = `existing ephemeral containers ${JSON.stringify(container.name)}`
    if (!after) errors.push(forbidden(path, `${which} may not be removed\n`))
    else if (!deepEqual(container, after))
      errors.push(
        forbidden(path, `${which} may not be changed\n${goChanges(features.release, 'core.EphemeralContainer', container, after)}`),
      )
  }
  return errors
}
