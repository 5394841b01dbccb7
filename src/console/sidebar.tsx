import { useMemo, useState } from 'preact/hooks'
import { FIRST_KIND, groupVersion, type Kind, kindGroups, rank } from './kinds.ts'
import { PAGES } from './pages/pages.tsx'
import { namedIn, type Route, tableHash } from './route.ts'
import { endSession, type Session } from './session.ts'
import { currentTheme, nextTheme, setTheme } from './theme.ts'
import { wantRows } from './use.ts'

interface SidebarProps {
  readonly session: Session
  readonly kinds: readonly Kind[]
  readonly route: Route
  readonly isOpen: boolean
  onMenu(open: boolean): void
  onHelp(): void
}

const THEMES = { system: '◐ Auto', light: '○ Light', dark: '● Dark' } as const

/** The menu: pages, kinds, and controls for the console. */
export function Sidebar({ session, kinds, route, isOpen, onMenu, onHelp }: SidebarProps) {
  const [theme, change] = useState(currentTheme)
  const switchTheme = (): void => {
    const next = nextTheme(theme)
    setTheme(next)
    change(next)
  }
  return (
    <header class="side">
      <div class="brand">
        <button type="button" class="menu-button" aria-expanded={isOpen} aria-controls="menu" onClick={() => onMenu(!isOpen)}>
          Menu
        </button>
        <a href="#/" class="name">
          Binnacle
        </a>
        <button type="button" class="quiet" onClick={switchTheme}>
          <span class="unseen">Theme: </span>
          {THEMES[theme]}
        </button>
        <button type="button" class="quiet" aria-label="Keys" onClick={onHelp}>
          ?
        </button>
      </div>
      <div id="menu" class="menu">
        {PAGES.length > 0 && (
          <nav aria-label="Pages">
            <ul class="links">
              {PAGES.map(({ id, label }) => (
                <li key={id}>
                  <a href={`#/${id}`} aria-current={route.parts[0] === id ? 'page' : undefined}>
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <KindList kinds={kinds} route={route} />
        <div class="who">
          <bdi>{session.user.name}</bdi>
          <button type="button" class="quiet" onClick={() => void endSession()}>
            End session
          </button>
        </div>
      </div>
    </header>
  )
}

function KindList({ kinds, route }: { readonly kinds: readonly Kind[]; readonly route: Route }) {
  const [text, setText] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const chosen = useMemo(() => {
    const ranked = kinds.filter(each => each.preferred || showsAll).map(each => ({ each, rank: rank(each, text) }))
    return ranked
      .filter(each => each.rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .map(({ each }) => each)
  }, [kinds, text, showsAll])
  // A search lists the best matches first. Without a search, kinds are grouped.
  const groups = text.trim() === '' ? kindGroups(chosen) : [{ title: 'Found', kinds: chosen }]
  const current = route.parts.length === 0 ? FIRST_KIND : namedIn(route)
  const open = (event: KeyboardEvent): void => {
    const [first] = chosen
    if (event.key !== 'Enter' || first === undefined) return
    const hash = tableHash(first)
    wantRows(location.hash === hash)
    location.hash = hash
    setText('')
  }
  return (
    <nav aria-label="Kinds" class="kinds">
      <label class="field">
        <span>Kinds</span>
        <input
          id="kind-search"
          type="search"
          placeholder="/ to search"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={open}
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={showsAll} onChange={({ currentTarget }) => setShowsAll(currentTarget.checked)} /> All versions
      </label>
      <div class="kind-groups">
        {groups.map(({ title, kinds: members }) => (
          <section key={title} aria-label={title}>
            <h2>
              <bdi>{title}</bdi> <span class="count">{members.length}</span>
            </h2>
            <ul class="links">
              {members.map(kind => (
                <li key={`${groupVersion(kind)}/${kind.resource}`}>
                  <a href={tableHash(kind)} aria-current={isCurrent(kind, current) ? 'page' : undefined}>
                    <bdi>{kind.kind}</bdi>
                    <span class="muted">
                      <bdi>{showsAll ? groupVersion(kind) : kind.group}</bdi>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  )
}

const isCurrent = (kind: Kind, { group, version, resource }: Pick<Kind, 'group' | 'version' | 'resource'>): boolean =>
  kind.group === group && kind.version === version && kind.resource === resource
