import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { report } from '../checks.ts'
import { checkDownwardFile } from './downward-api.ts'
import { checkNonReservedPath } from './paths.ts'

/** Sources that are directories of files made from objects: secret, configMap, downwardAPI, projected. */
const BAD_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
const CONFLICT = 'conflicting duplicate paths'

function checkMode(mode: number | undefined, path: FieldPath, errors: Errors): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.push(invalid(path, mode, BAD_MODE))
}

function checkItem(item: ApiStruct, path: FieldPath, errors: Errors): void {
  if (!item.key) errors.push(required(path.child('key')))
  if (!item.path) errors.push(required(path.child('path')))
  checkNonReservedPath(item.path ?? '', path.child('path'), errors)
  checkMode(item.mode, path.child('mode'), errors)
}

const itemsOf = (source: ApiStruct): ApiStruct[] => source.items ?? []

/** `nameField`: `secretName` or `name`. */
export function checkKeyedSource(source: ApiStruct, nameField: string, path: FieldPath, errors: Errors): void {
  if (!source[nameField]) errors.push(required(path.child(nameField)))
  checkMode(source.defaultMode, path.child('defaultMode'), errors)
  itemsOf(source).forEach((item, i) => {
    checkItem(item, path.child('items').index(i), errors)
  })
}

export function checkDownwardSource(source: ApiStruct, path: FieldPath, errors: Errors): void {
  checkMode(source.defaultMode, path.child('defaultMode'), errors)
  for (const file of itemsOf(source)) checkFile(file, path, errors)
}

function checkFile(file: ApiStruct, path: FieldPath, errors: Errors): void {
  checkDownwardFile(file, path, errors)
  checkMode(file.mode, path.child('mode'), errors)
}

export interface ProjectedOptions {
  readonly allowNonLocalTokenPath: boolean
}

export function checkProjected(projected: ApiStruct, path: FieldPath, options: ProjectedOptions, errors: Errors): void {
  checkMode(projected.defaultMode, path.child('defaultMode'), errors)
  const paths = new Set<string>()
  const claim = (target: string, shown: string): void => {
    if (target === '') return
    if (paths.has(target)) errors.push(invalid(path, shown, CONFLICT))
    else paths.add(target)
  }
  const sources: ApiStruct[] = projected.sources ?? []
  sources.forEach((source, i) => {
    const at = path.child('sources').index(i)
    for (const kind of ['secret', 'configMap'] as const) {
      const keyed = source[kind]
      if (!keyed) continue
      if (!keyed.name) errors.push(required(at.child(kind, 'name')))
      itemsOf(keyed).forEach((item, j) => {
        checkItem(item, at.child(kind, 'items').index(j), errors)
        claim(item.path ?? '', keyed.name ?? '')
      })
    }
    if (source.downwardAPI) {
      for (const file of itemsOf(source.downwardAPI)) {
        checkFile(file, at.child('downwardAPI'), errors)
        claim(file.path ?? '', file.path ?? '')
      }
    }
    if (source.serviceAccountToken) checkToken(source.serviceAccountToken, at.child('serviceAccountToken'), path, options, errors)
    if (source.clusterTrustBundle) {
      checkTrustBundle(source.clusterTrustBundle, at.child('clusterTrustBundle'), errors)
      claim(source.clusterTrustBundle.path ?? '', source.clusterTrustBundle.path ?? '')
    }
    const count = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle'].filter(kind => source[kind]).length
    if (count > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  })
}

/** The path of a token is told at the volume, not at its source: upstream has it so. */
function checkToken(token: ApiStruct, path: FieldPath, volume: FieldPath, options: ProjectedOptions, errors: Errors): void {
  const seconds: number = token.expirationSeconds ?? 0
  if (seconds < 600) errors.push(invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > 2 ** 32) errors.push(invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds'))
  if (!token.path) errors.push(required(volume.child('path')))
  else if (!options.allowNonLocalTokenPath) checkNonReservedPath(token.path, volume.child('path'), errors)
}

function checkTrustBundle(bundle: ApiStruct, path: FieldPath, errors: Errors): void {
  const { name, signerName } = bundle
  if (name !== undefined && signerName !== undefined) errors.push(invalid(path, bundle, 'only one of name and signerName may be used'))
  else if (name !== undefined) {
    if (name === '') errors.push(required(path.child('name'), 'must be a valid object name'))
    const own = name.slice(name.lastIndexOf(':') + 1)
    for (const text of nameIsDnsSubdomain(own, false)) errors.push(invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${text}`))
    if (bundle.labelSelector)
      errors.push(invalid(path.child('labelSelector'), goValue('meta.LabelSelector', bundle.labelSelector), 'labelSelector must be unset if name is specified'))
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(path.child('signerName'), 'must be a valid signer name'))
    const [domain = '', ...rest] = signerName.split('/')
    if (rest.length !== 1)
      errors.push(invalid(path.child('signerName'), signerName, 'must be a fully qualified domain and path of the form "example.com/signer-name"'))
    else report(nameIsDnsSubdomain(domain, false), path.child('signerName'), signerName, errors)
    if (bundle.labelSelector) errors.push(...validateLabelSelector(bundle.labelSelector, path.child('labelSelector')))
  } else errors.push(required(path, 'either name or signerName must be specified'))
  if (!bundle.path) errors.push(required(path.child('path')))
  checkNonReservedPath(bundle.path ?? '', path.child('path'), errors)
}
