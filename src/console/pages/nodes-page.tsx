import { cellOf, podsByNode } from '../cluster-view.ts'
import { isUnhealthy } from '../health.ts'
import type { LiveTable } from '../live-table.ts'
import { Failure, Loading, Note, PageHead } from '../parts.tsx'
import { PodMarks, readyText } from '../pod-marks.tsx'
import { objectHash } from '../route.ts'
import { ApiError } from '../session.ts'
import { useLiveTable } from '../use-live-table.ts'

/** Limit for the nodes that are shown. */
const MOST_NODES = 200
const NODES = { group: '', version: 'v1', resource: 'nodes' }

/** The nodes of the cluster with their pods, kept up to date. */
export function NodesPage() {
  const nodes = useLiveTable('/api/v1/nodes')
  const pods = useLiveTable('/api/v1/pods')
  return (
    <section class="page" aria-label="Nodes">
      <PageHead title="Nodes">
        <span class="muted" role="status">
          {nodes && pods ? `${nodes.rows.size.toLocaleString('en')} nodes, ${pods.rows.size.toLocaleString('en')} pods` : ''}
        </span>
      </PageHead>
      {nodes === undefined || pods === undefined || nodes.state === 'loading' || pods.state === 'loading' ? (
        <Loading />
      ) : nodes.state === 'failed' || pods.state === 'failed' ? (
        <Failure error={new ApiError(400, nodes.problem || pods.problem)} />
      ) : (
        <NodeCards nodes={nodes} pods={pods} />
      )}
    </section>
  )
}

function NodeCards({ nodes, pods }: { readonly nodes: LiveTable; readonly pods: LiveTable }) {
  const byNode = podsByNode(pods.columns, pods.rows)
  const waiting = byNode.get('') ?? []
  if (nodes.rows.size === 0 && waiting.length === 0)
    return (
      <Note title="There are no nodes.">
        <p>
          To simulate some, start the server with <code>--profile=cluster --nodes 3</code>.
        </p>
      </Note>
    )
  const shown = [...nodes.rows.values()].slice(0, MOST_NODES)
  return (
    <ul class="node-cards">
      {waiting.length > 0 && (
        <li class="node-card">
          <h2>Without a node</h2>
          <PodMarks pods={waiting} label="Pods without a node" />
        </li>
      )}
      {shown.map(row => {
        const { name } = row.object.metadata
        const marks = byNode.get(name) ?? []
        return (
          <li key={name} class={`node-card${isUnhealthy(nodes.columns, row) ? ' bad' : ''}`}>
            <h2>
              <a href={objectHash(NODES, '', name)}>
                <bdi>{name}</bdi>
              </a>
            </h2>
            <p class="muted">
              {cellOf(nodes.columns, row, 'Status')} · {readyText(marks)}
            </p>
            <PodMarks pods={marks} label={`Pods of ${name}`} />
          </li>
        )
      })}
      {nodes.rows.size > shown.length && <li class="muted">{(nodes.rows.size - shown.length).toLocaleString('en')} more nodes</li>}
    </ul>
  )
}
