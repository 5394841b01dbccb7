import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { MAX_CONFIGURATIONS } from '../claim-spec.ts'
import { validateConfiguration } from '../configuration.ts'
import { validateList } from '../lists.ts'
import { validateSelectors } from '../selectors.ts'

/** What an update leaves as it is was let in before there were bounds. */
function validateSpec({ spec }: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const stored = old !== undefined && deepEqual(spec?.config, old.spec?.config)
  return [
    ...validateSelectors(spec?.selectors, path.child('selectors')),
    ...validateList(spec?.config, MAX_CONFIGURATIONS, (config, at) => validateConfiguration(config as KubeObject['spec'], stored, at), path.child('config')),
  ]
}

/** An update tells what is wrong twice, as upstream does. */
export const validateDeviceClass = (next: KubeObject, old: KubeObject | undefined): FieldError[] => [
  ...validateSpec(next, undefined),
  ...(old ? validateSpec(next, old) : []),
]
