import type { ISCSIVolumeSource, Volume } from '../../../src/api/core/v1.types.ts'
import { STRING_VALUES } from '../../../src/cel/schema/string-formats.ts'
import { boundYamlInSteps } from '../../../src/codec/value-bound.ts'
import { parseYaml } from '../../../src/codec/yaml.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { parseUrl } from '../../../src/lib/url.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { parseSemanticVersion } from '../../../src/meta/semantic-version.ts'
import { trimFraction } from '../../../src/meta/time.ts'
import { overlapWarnings } from '../../../src/resources/core/pod-spec/overlap-warnings.ts'
import { validateIscsi } from '../../../src/resources/core/volume/iscsi.ts'
import { readValidDocuments } from '../../../src/upgrade/source/nodes.ts'
import { expectNoSquare } from '../../support/processor-cost.ts'

const iscsi = (iqn: string): ISCSIVolumeSource => ({ targetPortal: 'p', iqn, lun: 0 }) as ISCSIVolumeSource
const volume = (path: string): Volume => ({ name: 'v', projected: { sources: [{ serviceAccountToken: { path } }] } }) as Volume
const refused = (attempt: () => unknown): void => {
  try {
    attempt()
  } catch {}
}

/**
 * Texts that repeat a character and end otherwise than the repetition wants: what to prepare for so many repetitions,
 * and then to measure.
 */
const table: [what: string, prepare: (count: number) => () => unknown][] = [
  ['spaces of a line of YAML', n => () => runAtOnce(boundYamlInSteps(Buffer.from(`a: ${'\n'.repeat(40_000)}${' '.repeat(n)}x`)))],
  ['line ends behind a quote of JSON', n => () => refused(() => parseYaml(Buffer.from(`{"a":"b"${'\n'.repeat(n)}x}`)))],
  ['slashes of a path in a volume', n => () => overlapWarnings([volume(`x${'/'.repeat(n)}y`)], '1.33')],
  ['beginnings of an iSCSI name', n => () => validateIscsi(iscsi('iqn.2001-04.'.repeat(n)), fieldPath('iscsi'))],
  ['digits of a duration in CEL', n => () => STRING_VALUES.duration?.(`${'1'.repeat(n)}!`)],
  ['digits of a duration with a unit in CEL', n => () => STRING_VALUES.duration?.(`${'1'.repeat(20 * n)} days`)],
  ['digits of a semantic version', n => () => parseSemanticVersion(`1.0.${'1'.repeat(20 * n)}`)],
  ['zeros of a time', n => () => trimFraction(`2026-01-01T00:00:00.${'0'.repeat(n)}1Z`)],
  ['invalid documents of a manifest', n => () => readValidDocuments('a: [\n---\n'.repeat(n), [])],
  ['slashes of a URL', n => () => parseUrl(`http:${'/'.repeat(n)}\n`)],
]

describe('parsing fifty thousand repetitions with an unexpected end takes less than quadratic time', () => {
  for (const [what, prepare] of table) it(what, () => expectNoSquare(prepare, 10_000))
})
