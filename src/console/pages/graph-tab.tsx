import { layOut, NODE, type Placed } from '../graph-layout.ts'
import { Failure, Loading, Note } from '../parts.tsx'
import { relationsOf } from '../related.ts'
import { objectHash } from '../route.ts'
import { useFetched } from '../use.ts'
import type { TabProps } from './tab-props.ts'

const EDGE = 12

/** Owners and dependents of an object. */
export function GraphTab({ object, kind, kinds }: TabProps) {
  const uid = object.metadata.uid ?? ''
  const { value, error } = useFetched(signal => relationsOf(object, kind, kinds, signal), [uid, object])
  if (error) return <Failure error={error} />
  if (value === undefined) return <Loading />
  const { placed, edges, width, height, left } = layOut(value.objects, uid)
  return (
    <div class="graph-tab">
      {placed.length === 1 && <Note title="The object has neither owners nor dependents." />}
      {left > 0 && <p class="muted">{left} more objects are not shown.</p>}
      {value.unread.length > 0 && <p class="muted">Not looked at: {value.unread.join(', ')}</p>}
      <div class="scroller" tabIndex={0} role="region" aria-label="Owners and dependents">
        <svg
          class="graph"
          width={width + 2 * EDGE}
          height={height + 2 * EDGE}
          role="group"
          aria-label={`${placed.length} objects; owners are to the left of what they own`}
        >
          <g transform={`translate(${EDGE} ${EDGE})`}>
            {edges.map(([from, to]) => (
              <path key={`${from.node.uid} ${to.node.uid}`} class="edge" d={curve(from, to)} />
            ))}
            {placed.map(each => (
              <Node key={each.node.uid} placed={each} isCentre={each.node.uid === uid} />
            ))}
          </g>
        </svg>
      </div>
    </div>
  )
}

function curve(from: Placed, to: Placed): string {
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2]
  const [x2, y2] = [to.x, to.y + NODE.height / 2]
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}

const SHOWN = 26
const short = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`)

function Node({ placed: { node, x, y }, isCentre }: { readonly placed: Placed; readonly isCentre: boolean }) {
  const box = (
    <g transform={`translate(${x} ${y})`} class={`node${isCentre ? ' centre' : ''}${node.isMissing ? ' missing' : ''}`}>
      <rect width={NODE.width} height={NODE.height} rx={6} />
      <text x={10} y={18} class="node-kind">
        {short(node.kind)}
        {node.isMissing ? ' (missing)' : ''}{' '}
      </text>
      <text x={10} y={34}>
        {short(node.name)}
      </text>
    </g>
  )
  if (node.of === undefined || node.isMissing) return box
  return <a href={objectHash(node.of, node.namespace, node.name, { tab: 'graph' })}>{box}</a>
}
