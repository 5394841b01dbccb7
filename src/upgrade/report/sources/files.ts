import { objectIn } from '../../../api/meta/object.ts'
import { textDiff } from '../../../lib/unified-diff.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { convertFile, labelOf } from '../../convert.ts'
import type { InputWatch } from '../../input-watch.ts'
import { type ManifestFile, type ManifestObject, readManifestFile, readManifests } from '../../manifests.ts'
import { columnOf, reindent } from '../../source/render.ts'
import type { ReleaseKinds } from '../../versions/release-kinds.ts'
import type { ExaminedObject } from '../examine-object.ts'
import type { Finding } from '../finding.ts'
import type { Examined } from '../report.ts'
import { writtenVersions } from '../written-as.ts'
import { readReportedFile, reportedFiles, type UnreadPart } from './found-files.ts'
import { unreadVersionFindings } from './unread-versions.ts'

/**
 * Reads the objects of files and folders. A file that cannot be read becomes a finding. Throws ManifestError for a path
 * that does not exist.
 */
export function examineFiles(paths: readonly string[], kinds: ReleaseKinds, watch: InputWatch): Examined {
  const subjects: ExaminedObject[] = []
  const findings: Finding[] = []
  for (const name of reportedFiles(paths)) {
    watch.step(name)
    const { file, faults } = readReportedFile(name, paths.includes(name), invalid => readManifestFile(name, watch.limits, invalid))
    for (const _ of file?.objects ?? []) watch.object(name)
    subjects.push(...(file?.objects.map(object => fileObject(file, object, kinds)) ?? []))
    findings.push(...faults.flatMap(fault => faultFindings(fault, kinds.release)))
  }
  return { name: paths.map(path => (path === '-' ? '<stdin>' : path)).join(', '), subjects, findings }
}

/** Reports what cannot be read, and the versions that are recognizable in its text. */
function faultFindings({ error: { file, line, reason }, unread }: UnreadPart, to: Release): Finding[] {
  const place = { file, ...(line !== undefined && { line }) }
  return [{ rule: 'unreadable', level: 'warning', subject: file, place, message: reason }, ...unreadVersionFindings(file, unread, to)]
}

function fileObject(file: ManifestFile, object: ManifestObject, kinds: ReleaseKinds): ExaminedObject {
  const { value, apiVersion, kind, line } = object
  return {
    value,
    apiVersion,
    kind,
    label: labelOf(object),
    place: { file: file.name === '-' ? '<stdin>' : file.name, line },
    written: writtenVersions(objectIn(value.metadata), kind),
    diff: () => diffOf(file, object, kinds),
  }
}

/** Returns the diff of converting a single object. */
async function diffOf(
  { name, text }: ManifestFile,
  { node, line, apiVersion, kind, value }: ManifestObject,
  kinds: ReleaseKinds,
): Promise<string> {
  const own = `${reindent(text.slice(node.start, node.end), columnOf(text, node.start), 0)}\n`
  // An item of a typed list may have no kind.
  if (value.apiVersion !== apiVersion || value.kind !== kind) return ''
  const { text: now } = await convertFile(readManifests(name === '-' ? name : 'object.yaml', own), kinds)
  return textDiff(own, now, line).slice(0, -1)
}
