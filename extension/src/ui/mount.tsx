import { StrictMode, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { initLanguage } from '../i18n';
import './theme.css';

/** Texts first, then the page: nothing is ever shown in two languages. */
export async function mount(Page: ComponentType): Promise<void> {
  await initLanguage();
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no #root');
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
