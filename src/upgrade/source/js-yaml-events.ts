import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { YAML_TAG_PREFIX, type YamlEvent } from '../../codec/yaml-event.ts'

/** Converts an event of js-yaml's parser, which has ranges of a text, to one with its texts. */
export function yamlEvent(event: Event, source: string, lineOf: (position: number) => number): YamlEvent {
  switch (event.type) {
    case EVENT_ID.POP:
      return { type: 'end' }
    case EVENT_ID.ALIAS:
      return { type: 'alias', name: source.slice(event.anchorStart, event.anchorEnd), line: lineOf(event.anchorStart) }
    case EVENT_ID.SCALAR:
      return { type: 'scalar', ...scalarText(event, source), ...properties(event, event.valueStart, source, lineOf) }
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return { type: event.type === EVENT_ID.SEQUENCE ? 'sequence' : 'mapping', ...properties(event, event.start, source, lineOf) }
    default:
      return { type: 'document' }
  }
}

interface Ranges {
  readonly anchorStart: number
  readonly anchorEnd: number
  readonly tagStart: number
  readonly tagEnd: number
}

function properties(ranges: Ranges, start: number, source: string, lineOf: (position: number) => number) {
  const { anchorStart, anchorEnd, tagStart } = ranges
  const first = Math.min(...[anchorStart, tagStart, start].filter(position => position >= 0))
  const anchor = anchorStart < 0 ? undefined : source.slice(anchorStart, anchorEnd)
  return { anchor, tag: tagOf(ranges, source), line: lineOf(Number.isFinite(first) ? first : -1) }
}

/** Returns the complete tag of a node. Tags with handles of directives stay as they are written. */
function tagOf({ tagStart, tagEnd }: Ranges, source: string): string {
  const written = tagStart < 0 ? '' : source.slice(tagStart, tagEnd)
  if (written.startsWith('!!')) return `${YAML_TAG_PREFIX}${written.slice(2)}`
  return written.startsWith('!<') ? written.slice(2, -1) : written
}

/**
 * Returns the text, style and tag of a scalar. js-yaml adds a missing line feed at the end of a block scalar, which
 * go-yaml does not.
 */
export function scalarText(event: ScalarEvent, source: string): { readonly text: string; readonly isPlain: boolean; readonly tag: string } {
  const text = getScalarValue(source, event)
  const isPlain = event.style === SCALAR_STYLE.PLAIN
  const tag = tagOf(event, source)
  const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK
  if (!isBlock || event.valueEnd !== source.length || !text.endsWith('\n')) return { text, isPlain, tag }
  const lastLine = source.length - 1 - source.lastIndexOf('\n')
  return { text: lastLine > event.indent ? text.slice(0, -1) : text, isPlain, tag }
}
