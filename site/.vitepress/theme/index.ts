import DefaultTheme from 'vitepress/theme-without-fonts'
import { theme as openApi } from 'vitepress-openapi/client'
import '@fontsource-variable/geist'
import '@fontsource-variable/geist-mono'
import 'vitepress-openapi/dist/style.css'
import './colours.css'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp(context: { app: Parameters<typeof openApi.enhanceApp>[0]['app'] }) {
    openApi.enhanceApp(context)
  },
}
