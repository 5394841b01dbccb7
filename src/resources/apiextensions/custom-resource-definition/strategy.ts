import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { STATUS_FIELDS } from '../../strategy-parts.ts'
import { storageVersion } from './defaults.ts'
import { validateDefinition, validateDefinitionStatus } from './validation.ts'

/** A version that becomes the storage version is one in which objects may be stored from then on. */
function addStoredVersion({ spec, status }: KubeObject): void {
  const stored = storageVersion(spec.versions)
  if (stored !== undefined && !(status.storedVersions ?? []).includes(stored)) status.storedVersions = [...(status.storedVersions ?? []), stored]
}

export const definitionStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  validateName: nameIsDnsSubdomain,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) {
      next.status = { ...old.status }
      if (!deepEqual(next.spec, old.spec)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
    } else {
      next.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
      next.metadata.generation = 1
    }
    addStoredVersion(next)
  },
  validate: validateDefinition,
}

/** Writes of the status may change the metadata, too, as upstream's do; in apply they own none of it. */
export const definitionStatusStrategy: Strategy = {
  resetFields: [['metadata'], ['spec']],
  prepare(next, old) {
    if (old) next.spec = old.spec
  },
  validate: validateDefinitionStatus,
}
