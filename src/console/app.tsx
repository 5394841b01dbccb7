import { useEffect, useMemo, useState } from 'preact/hooks'
import { HelpDialog } from './help.tsx'
import { useKeyboard } from './keyboard.ts'
import { FIRST_KIND, type Kind } from './kinds.ts'
import { loadKinds } from './load-kinds.ts'
import { ObjectPage } from './pages/object-page.tsx'
import { PAGES } from './pages/pages.tsx'
import { TablePage } from './pages/table-page.tsx'
import { Failure, Loading, Note } from './parts.tsx'
import { namedIn, type Route } from './route.ts'
import { type Session, whenSessionEnds } from './session.ts'
import { Sidebar } from './sidebar.tsx'
import { useFetched, useRoute } from './use.ts'

/** The console: the entrance page without a session, otherwise the selected page. */
export function App({ begun }: { readonly begun: Session | undefined }) {
  const [session, setSession] = useState(begun)
  useEffect(() => whenSessionEnds(() => setSession(undefined)), [])
  return session ? <Shell session={session} /> : <Entrance />
}

function Entrance() {
  return (
    <main class="entrance">
      <h1>Binnacle</h1>
      <p>This page is opened with a single-use link.</p>
      <p>
        The server prints one when it starts. To get another one, run <code>binnacle console</code> with the administrator’s kubeconfig.
      </p>
    </main>
  )
}

function Shell({ session }: { readonly session: Session }) {
  const route = useRoute()
  const { value: kinds, error } = useFetched(loadKinds, [session])
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isMenuOpen, setMenuOpen] = useState(false)
  useKeyboard({ openHelp: () => setHelpOpen(true), openMenu: () => setMenuOpen(true), closeMenu: () => setMenuOpen(false) })
  useEffect(() => setMenuOpen(false), [route])
  return (
    <div class={`shell${isMenuOpen ? ' menu-open' : ''}`}>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Sidebar
        session={session}
        kinds={kinds ?? []}
        route={route}
        isOpen={isMenuOpen}
        onMenu={setMenuOpen}
        onHelp={() => setHelpOpen(true)}
      />
      <main id="main" tabIndex={-1}>
        {error ? <Failure error={error} /> : kinds === undefined ? <Loading /> : <Page route={route} kinds={kinds} />}
      </main>
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

const skip = (): void => document.getElementById('main')?.focus()

function Page({ route, kinds }: { readonly route: Route; readonly kinds: readonly Kind[] }) {
  const [name = 'objects'] = route.parts
  const wanted = route.parts.length > 1 ? namedIn(route) : FIRST_KIND
  const kind = useMemo(
    () => kinds.find(each => each.group === wanted.group && each.version === wanted.version && each.resource === wanted.resource),
    [kinds, wanted.group, wanted.version, wanted.resource],
  )
  useEffect(() => {
    document.title = `${route.parts.at(-1) ?? 'Objects'} · Binnacle`
  }, [route])
  const page = PAGES.find(each => each.id === name)
  if (page) return <page.Page kinds={kinds} route={route} />
  if (kind === undefined || (name !== 'objects' && name !== 'object'))
    return (
      <Note title="The page does not exist, or the kind is not served.">
        <p>
          <a href="#/">To the namespaces</a>
        </p>
      </Note>
    )
  const key = [kind.group, kind.version, kind.resource].join('/')
  if (name === 'object') return <ObjectPage key={key} kind={kind} kinds={kinds} route={route} />
  return <TablePage key={key} kind={kind} route={route} />
}
