import { useState } from 'preact/hooks'
import { conditionsOf, type ObjectCondition } from '../health.ts'
import { type Kind, resourcePath } from '../kinds.ts'
import type { AnyObject, Json } from '../objects.ts'
import { Failure, Loading, PageHead } from '../parts.tsx'
import { namedIn, type Route, routeHash, tableHash } from '../route.ts'
import { callJson } from '../session.ts'
import { useFetched } from '../use.ts'
import { EventsTab } from './events-tab.tsx'
import { GraphTab } from './graph-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { OwnedYaml } from './owned-yaml.tsx'
import { RolloutTab } from './rollout-tab.tsx'
import type { TabProps } from './tab-props.ts'

const TABS = [
  ['yaml', 'YAML'],
  ['history', 'History'],
  ['events', 'Events'],
  ['graph', 'Owners'],
  ['rollout', 'Rollout'],
] as const

/** Only a Deployment has rollouts of ReplicaSets. */
const isDeployment = ({ group, resource }: Kind): boolean => group === 'apps' && resource === 'deployments'

/** An object: its fields with their managers, its history, events, owners and dependents. */
export function ObjectPage({ kind, kinds, route }: { readonly kind: Kind; readonly kinds: readonly Kind[]; readonly route: Route }) {
  const { namespace, name } = namedIn(route)
  const path = resourcePath(kind, namespace, name)
  const [reading, readAgain] = useState(0)
  const { value: object, error } = useFetched(signal => callJson<AnyObject>(path, { signal }), [path, reading])
  const tabs = TABS.filter(([id]) => id !== 'rollout' || isDeployment(kind))
  const tab = tabs.find(([id]) => id === route.query.tab)?.[0] ?? 'yaml'
  return (
    <section class="page object-page" aria-label={`${kind.kind} ${name}`}>
      <PageHead title={name}>
        <span class="muted">
          <a href={tableHash(kind, { namespace })}>{kind.kind}</a>
          {namespace !== '' && (
            <>
              {' in '}
              <bdi>{namespace}</bdi>
            </>
          )}
        </span>
        <a href={routeHash(['requests'], { text: path })}>Requests</a>
        <button type="button" class="quiet" onClick={() => readAgain(n => n + 1)}>
          Reload
        </button>
      </PageHead>
      <nav class="tabs" aria-label="Views of the object">
        {tabs.map(([id, label]) => (
          <a key={id} href={routeHash(route.parts, id === 'yaml' ? {} : { tab: id })} aria-current={id === tab ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {object !== undefined && <Conditions conditions={conditionsOf(object as AnyObject & Json)} />}
      {error ? (
        <Failure error={error} />
      ) : object === undefined ? (
        <Loading />
      ) : (
        <Tab tab={tab} kind={kind} kinds={kinds} path={path} object={object} />
      )}
    </section>
  )
}

function Conditions({ conditions }: { readonly conditions: readonly ObjectCondition[] }) {
  if (conditions.length === 0) return null
  return (
    <ul class="conditions" aria-label="Conditions">
      {conditions.map(({ type, status, reason, message }) => (
        <li key={type} title={message}>
          <b>
            <bdi>{type}</bdi>
          </b>{' '}
          <bdi>{status}</bdi>{' '}
          <span class="muted">
            <bdi>{reason}</bdi>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Tab({ tab, ...props }: TabProps & { readonly tab: (typeof TABS)[number][0] }) {
  switch (tab) {
    case 'yaml':
      return <OwnedYaml object={props.object as AnyObject & Json} />
    case 'history':
      return <HistoryTab {...props} />
    case 'events':
      return <EventsTab {...props} />
    case 'graph':
      return <GraphTab {...props} />
    case 'rollout':
      return <RolloutTab {...props} />
  }
}
