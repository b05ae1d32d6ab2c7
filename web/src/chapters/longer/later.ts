// The programs of the chapter are loaded when their menu opens.
export const code = () => import('./code');
