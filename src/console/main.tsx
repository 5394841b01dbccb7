import { render } from 'preact'
import { App } from './app.tsx'
import { beginSession } from './session.ts'
import { currentTheme, showTheme } from './theme.ts'

showTheme(currentTheme())
const app = document.getElementById('app')
if (app) void beginSession().then(session => render(<App begun={session} />, app))
