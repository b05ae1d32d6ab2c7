import '@fontsource/inter/latin-400.css';
import '@fontsource/inter/latin-500.css';
import '@fontsource/inter/latin-600.css';
import '@fontsource/jetbrains-mono/latin-400.css';
import '@fontsource/jetbrains-mono/latin-700.css';
import '@fontsource/stix-two-text/latin-400.css';
import '@fontsource/stix-two-text/latin-400-italic.css';
import '@fontsource/stix-two-text/latin-500.css';
import './shell/tokens.css';
import './shell/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { keepForOffline } from './shell/offline';

mount(App, { target: document.getElementById('page')! });
keepForOffline();
