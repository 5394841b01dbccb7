import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isConfigMapKey, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { report } from '../checks.ts'

/** NodeSpec.configSource. The kubelet reads it no more; nodes that have it keep it, and it stays well-formed. */
export function checkConfigSource(source: ApiStruct, path: FieldPath, errors: Errors): void {
  const reference: ApiStruct | undefined = source.configMap
  if (reference) {
    const at = path.child('configMap')
    if (reference.uid) errors.push(forbidden(at.child('uid'), 'uid must not be set in spec'))
    if (reference.resourceVersion) errors.push(forbidden(at.child('resourceVersion'), 'resourceVersion must not be set in spec'))
    checkReference(reference, at, errors)
  }
  checkOne(source, path, errors)
}

/** NodeStatus.config. */
export function checkConfigStatus(status: ApiStruct, path: FieldPath, errors: Errors): void {
  for (const member of ['assigned', 'active', 'lastKnownGood']) {
    const source: ApiStruct | undefined = status[member]
    if (!source) continue
    const reference: ApiStruct | undefined = source.configMap
    if (reference) {
      const at = path.child(member, 'configMap')
      if (!reference.uid) errors.push(required(at.child('uid'), 'uid must be set in status'))
      if (!reference.resourceVersion) errors.push(required(at.child('resourceVersion'), 'resourceVersion must be set in status'))
      checkReference(reference, at, errors)
    }
    checkOne(source, path.child(member), errors)
  }
}

function checkOne(source: ApiStruct, path: FieldPath, errors: Errors): void {
  if (!source.configMap) errors.push(invalid(path, goValue('core.NodeConfigSource', source), 'exactly one reference subfield must be non-nil'))
}

function checkReference(reference: ApiStruct, path: FieldPath, errors: Errors): void {
  const check = (field: string, rule: (text: string) => string[]): void => {
    const text: string = reference[field] ?? ''
    if (text === '') errors.push(required(path.child(field), `${field} must be set`))
    else report(rule(text), path.child(field), text, errors)
  }
  check('namespace', text => nameIsDnsLabel(text, false))
  check('name', text => nameIsDnsSubdomain(text, false))
  check('kubeletConfigKey', isConfigMapKey)
}
