import DefaultTheme from 'vitepress/theme-without-fonts'
import { theme as openApi, useTheme } from 'vitepress-openapi/client'
import '@fontsource-variable/geist'
import '@fontsource-variable/geist-mono'
import 'vitepress-openapi/dist/style.css'
import './colours.css'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp(context: { app: Parameters<typeof openApi.enhanceApp>[0]['app'] }) {
    openApi.enhanceApp(context)
    // The site has no server to call, and a sample would lack the body and the cookie's real name.
    // The schema says which fields are optional; an example does not.
    useTheme({
      spec: { groupByTags: false },
      operation: { cols: 1, hiddenSlots: ['playground', 'code-samples'] },
      requestBody: { defaultView: 'schema' },
      response: { body: { defaultView: 'schema' } },
    })
  },
}
