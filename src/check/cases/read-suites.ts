import { isJsonObject } from '../../api/meta/object.ts'
import { manifestFiles, readManifestFile } from '../../upgrade/manifests.ts'
import { gatorSuites, isGatorSuite } from './gator-cases.ts'
import { isKyvernoTest, kyvernoSuite } from './kyverno-cases.ts'
import { NATIVE_API, NATIVE_KIND, nativeSuite } from './native-cases.ts'
import { CaseError, type CaseSuite } from './policy-case.ts'

/**
 * Reads the suites of files and folders. Other documents of a folder are skipped. Throws CaseError and ManifestError.
 */
export function readSuites(paths: readonly string[]): CaseSuite[] {
  const suites = paths.flatMap(path => manifestFiles([path]).flatMap(suitesOf))
  if (paths.length > 0 && suites.length === 0)
    throw new CaseError(`${paths.join(', ')}: there are no cases: a file has apiVersion ${NATIVE_API} and kind ${NATIVE_KIND}`)
  return suites
}

function suitesOf(file: string): CaseSuite[] {
  return readManifestFile(file).documents.flatMap(({ value }) => {
    if (!isJsonObject(value)) return []
    if (value.apiVersion === NATIVE_API && value.kind === NATIVE_KIND) return [nativeSuite(file, value)]
    if (isKyvernoTest(value)) return [kyvernoSuite(file, value)]
    return isGatorSuite(value) ? gatorSuites(file, value) : []
  })
}
