import { encodeUtf16 } from '../codec/yaml-source.ts'
import { ArgumentError, readArguments, type Streams } from '../lib/arguments.ts'
import { LineBudget } from '../lib/line-budget.ts'
import { convertFile, type Note } from './convert.ts'
import { LIMIT_OPTIONS, LIMITS_USAGE, limitFlag, readLimits } from './input-limits.ts'
import { InputWatch } from './input-watch.ts'
import { ManifestError, manifestFiles, readManifestFile } from './manifests.ts'
import { readTarget } from './release-argument.ts'
import { replaceFile } from './replace-file.ts'
import { ReleaseKinds } from './versions/release-kinds.ts'

export const CONVERT_USAGE = `Usage: binnacle convert -f FILE|FOLDER|- [-f …] --to RELEASE [--write]

Converts manifests to versions that a release of Kubernetes serves. Comments, order and notation of everything else are kept.

  -f, --filename   a file, a folder (*.yaml, *.yml and *.json at any depth), or - for standard input
      --to         the target release, such as 1.37
      --write      changes the files, instead of printing all manifests to standard output
      --quiet      prints only messages that need a decision

${LIMITS_USAGE}
Changes are listed on standard error. Exit status: 0 everything is converted, 1 something needs a decision, 2 an error.
`

/** Runs `binnacle convert`. Resolves to the exit status. Throws ArgumentError. */
export async function runConvert(argv: readonly string[], { out, err }: Streams): Promise<number> {
  const given = readArguments(
    argv,
    { filename: 'values', to: 'value', write: 'switch', quiet: 'switch', ...LIMIT_OPTIONS, help: 'switch' },
    { f: 'filename', h: 'help' },
    'filename',
  )
  if (given.isOn('help')) {
    out(CONVERT_USAGE)
    return 0
  }
  const paths = given.values('filename')
  if (paths.length === 0) throw new ArgumentError('-f is needed: a file, a folder, or - for standard input')
  const kinds = new ReleaseKinds(readTarget(given.value('to'), err))
  const limits = readLimits(given)
  const lines = new LineBudget(err, limits.lines, limitFlag('lines'))
  const watch = new InputWatch({ limits, say: err, now: () => performance.now() })
  const texts: string[] = []
  let status = 0
  for (const name of manifestFiles(paths))
    try {
      watch.step(name)
      const file = readManifestFile(name, limits)
      for (const _ of file.objects) watch.object(name)
      const { text, changed, notes } = await convertFile(file, kinds)
      for (const note of notes) if (note.severity === 'decision' || !given.isOn('quiet')) lines.say(noteText(name, note))
      if (notes.some(({ severity }) => severity === 'decision')) status = Math.max(status, 1)
      if (!given.isOn('write') || name === '-') texts.push(text)
      else if (changed) await replaceFile(name, file.byteOrder ? encodeUtf16(text, file.byteOrder) : text)
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error
      lines.say(`Error: ${error.message}`)
      status = 2
    }
  lines.end()
  out(joinDocuments(texts))
  return status
}

const noteText = (file: string, { line, object, severity, message }: Note): string =>
  `${file === '-' ? '<stdin>' : file}:${line}: ${object}: ${severity === 'decision' ? 'needs a decision: ' : ''}${message}`

/** Joins the texts of several files to one stream of documents. */
function joinDocuments(texts: readonly string[]): string {
  const ended = texts.map(text => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).filter(text => text.trim() !== '')
  return ended.map((text, i) => (i === 0 || /^---/.test(text) ? text : `---\n${text}`)).join('')
}
